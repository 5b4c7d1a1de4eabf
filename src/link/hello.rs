//! What ranks say about themselves before anything else.

/// The first message of a rank to rank 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hello {
    /// The name of its host.
    pub host: String,
    /// Jobs that it works on at the same time.
    pub slots: usize,
    /// What all ranks must agree on: names and values, in the same order
    /// everywhere.
    pub facts: Vec<(String, String)>,
}

/// The first line of the message; another one is another program's.
const MAGIC: &str = "hanxin-link 1";

impl Hello {
    /// A hello whose first fact is the version of this program.
    pub fn new(host: String, slots: usize, facts: &[(&str, &str)]) -> Hello {
        let version = ("version", env!("CARGO_PKG_VERSION"));
        let facts = [version].into_iter().chain(facts.iter().copied());
        let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Hello { host, slots, facts }
    }

    /// Lines of text: magic, host, slots, and a line for each fact.
    pub fn encode(&self) -> Vec<u8> {
        // a line end inside a value would make two lines of it
        let line = |text: &str| text.replace(['\n', '\t'], " ");
        let mut text = format!("{MAGIC}\n{}\n{}\n", line(&self.host), self.slots);
        for (name, value) in &self.facts {
            text += &format!("{}\t{}\n", line(name), line(value));
        }
        text.into_bytes()
    }

    /// Reads what [`Hello::encode`] has written; `None` if it is something else.
    fn decode(bytes: &[u8]) -> Option<Hello> {
        let mut lines = std::str::from_utf8(bytes).ok()?.lines();
        if lines.next()? != MAGIC {
            return None;
        }
        let (host, slots) = (lines.next()?.to_owned(), lines.next()?.parse().ok()?);
        let fact = |line: &str| {
            let (name, value) = line.split_once('\t')?;
            Some((name.to_owned(), value.to_owned()))
        };
        Some(Hello { host, slots, facts: lines.map(fact).collect::<Option<_>>()? })
    }

    /// The hello that another rank has sent, as seen from rank 0, whose hello
    /// this is.
    ///
    /// # Errors
    /// Why the two cannot work together, in one line.
    pub fn admit(&self, rank: usize, bytes: &[u8]) -> Result<Hello, String> {
        let Some(hello) = Hello::decode(bytes) else {
            return Err(format!("rank {rank} is another program; start the same one everywhere"));
        };
        let Some((name, own, theirs)) = self.difference(&hello) else { return Ok(hello) };
        Err(format!(
            "rank {rank} on {} has {name} {theirs}, rank 0 on {} has {name} {own}; start the same \
             program with the same arguments and files everywhere",
            hello.host, self.host
        ))
    }

    /// What the two do not agree on: its name, the own value and the other one.
    fn difference(&self, other: &Hello) -> Option<(String, String, String)> {
        let length = self.facts.len().max(other.facts.len());
        let missing = || ("fact".to_owned(), "missing".to_owned());
        (0..length).find_map(|place| {
            let [own, theirs] =
                [self, other].map(|hello| hello.facts.get(place).cloned().unwrap_or_else(missing));
            (own != theirs).then_some((own.0, own.1, theirs.1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello {
        Hello::new("ha".into(), 4, &[("plan", "cafe")])
    }

    #[test]
    fn a_hello_comes_back() {
        assert_eq!(Hello::decode(&hello().encode()), Some(hello()));
        for other in ["", "something else\n", "hanxin-link 1\nha\nmany\n"] {
            assert_eq!(Hello::decode(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn differences_are_named() {
        let mut other = hello();
        other.host = "hb".into();
        assert_eq!(hello().difference(&other), None);
        other.facts[1].1 = "beef".into();
        let named = ["plan", "cafe", "beef"].map(str::to_owned);
        assert_eq!(hello().difference(&other), Some(named.into()));
        other.facts.pop();
        assert!(hello().difference(&other).is_some());
        assert!(other.difference(&hello()).is_some());
    }
}
