//! hanxin: a Xiangqi (Chinese chess) engine and library.

pub mod board;
pub mod book;
pub mod eval;
pub mod notation;
pub mod protocol;
pub mod rules;
pub mod score;
pub mod search;
