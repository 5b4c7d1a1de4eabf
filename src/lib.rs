//! hanxin: a Xiangqi (Chinese chess) engine and library.

pub mod board;
pub mod book;
pub mod cli;
pub mod engine;
pub mod eval;
pub mod front;
pub mod notation;
pub mod protocol;
pub mod rules;
pub mod score;
pub mod search;
pub mod util;
