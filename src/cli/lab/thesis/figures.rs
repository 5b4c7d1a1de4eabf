//! What the thesis itself has measured.

/// Tables 2-5 and 2-6: mean nodes of ten midgames to a depth.
pub struct Nodes {
    /// Moves in the order in which they are generated.
    pub unordered: u64,
    /// Killers before the captures.
    pub killers_first: u64,
    /// The order of the thesis: killers after the captures.
    pub ordered: u64,
}

/// By depth from 1. At depth 6 table 2-6 prints 24,260 where table 2-5 has
/// 240,260; its own percentage fits the latter.
pub const NODES: [Nodes; 9] = [
    nodes(40, 40, 40),
    nodes(670, 502, 450),
    nodes(5198, 3400, 2766),
    nodes(31_408, 14_115, 10_882),
    nodes(263_397, 87_275, 65_516),
    nodes(1_422_290, 332_417, 240_260),
    nodes(11_400_735, 1_798_713, 1_257_174),
    nodes(20_110_101, 2_534_636, 1_976_541),
    nodes(26_099_184, 2_901_231, 2_243_123),
];

const fn nodes(unordered: u64, killers_first: u64, ordered: u64) -> Nodes {
    Nodes { unordered, killers_first, ordered }
}

/// A row of table 4-1 or 4-2: the thesis' engine against ElephantEye.
pub struct Puzzle {
    /// Its number in the collection.
    pub id: u32,
    pub name: &'static str,
    /// 1: solved by checks alone (table 4-1); 2: quiet moves are needed (4-2).
    pub class: u8,
    /// The length of the game, plies.
    pub plies: usize,
    pub result: &'static str,
}

/// Tables 4-1 and 4-2.
pub const PUZZLES: [Puzzle; 20] = [
    puzzle(1, "月上柳梢", 1, 9, "won"),
    puzzle(6, "八公德水", 1, 15, "won"),
    puzzle(24, "雀起柳萌", 1, 25, "won"),
    puzzle(31, "沾花惹草", 1, 17, "won"),
    puzzle(45, "釜底抽薪", 1, 11, "won"),
    puzzle(55, "浑水摸鱼", 1, 15, "won"),
    puzzle(80, "亦步亦趋", 1, 29, "won"),
    puzzle(139, "花心轻折", 1, 13, "won"),
    puzzle(210, "尽忠报国", 1, 19, "won"),
    puzzle(231, "移花接木", 1, 21, "won"),
    puzzle(10, "御驾亲征", 2, 7, "won"),
    puzzle(12, "弈海双星", 2, 35, "won"),
    puzzle(29, "渴骥饮泉", 2, 6, "lost"),
    puzzle(47, "捉襟见肘", 2, 12, "lost"),
    puzzle(67, "兵相斗士", 2, 19, "won"),
    puzzle(83, "蜀道伏兵", 2, 14, "lost"),
    puzzle(100, "捕风捉影", 2, 59, "drawn"),
    puzzle(167, "风云幻变", 2, 38, "drawn"),
    puzzle(181, "近在咫尺", 2, 25, "won"),
    puzzle(240, "石破天惊", 2, 15, "won"),
];

const fn puzzle(
    id: u32,
    name: &'static str,
    class: u8,
    plies: usize,
    result: &'static str,
) -> Puzzle {
    Puzzle { id, name, class, plies, result }
}

/// Table 4-3: games won and lost against ElephantEye at a depth; none was drawn.
pub const GAMES: [(u32, u32, u32); 4] = [(4, 3, 0), (5, 2, 1), (6, 1, 2), (7, 0, 3)];
