//! hanxin: a Xiangqi (Chinese chess) engine and library.

pub mod board;
pub mod eval;
pub mod score;
pub mod search;
pub mod protocol;
