//! d
use hanxin::board::*; use hanxin::rules::*;
#[test] fn dbg() {
 let mut reader = csv::Reader::from_path("/work/shared/rules/cases.csv").unwrap();
 for r in reader.records() { let r=r.unwrap(); if &r[1]!="cxa"||r[0].starts_with("con") {continue;}
 let moves:Vec<Move>=r[3].split_whitespace().map(|t|t.parse().unwrap()).collect();
 let mut p=Position::from_fen(&r[2]).unwrap();
 let why=&r[5];
 let lab:Vec<Vec<&str>>=why.split("Red ").nth(1).unwrap_or("").split("; Black ").map(|t|t.split(", ").map(|x|x.split(' ').next().unwrap()).collect()).collect();
 println!("== {} {} {} | {}", &r[0], &r[2], &r[4], why);
 let lab=if why.starts_with("Red wins") { let t=why.split("classes, Red ").nth(1).unwrap(); t.split("; Black ").map(|t|t.split(", ").map(|x|x.split(' ').next().unwrap()).collect()).collect() } else {lab};
 for (i,&m) in moves.iter().enumerate() {
   let side=p.side_to_move();
   if i/2 < lab[side.index()].len() {
   let c=national::nature(&p,m);
   let l=lab[side.index()][i/2];
   use national::Nature::*;
   let ok = match l {"check"=>c==Check,"mate-threat"=>c==Kill,"chase"=>matches!(c,Chase(_)|LightChase(_)), _=>c==Idle};
   println!("   {} {m} [{l}] {c:?} {}", if side==Color::Red {"R"} else {"B"}, if ok {""} else {"   <<<<<<"});
   }
   p.make(m);
 }
 }
}
