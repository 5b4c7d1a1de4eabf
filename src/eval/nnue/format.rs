//! The file of a net, byte for byte.
//!
//! All numbers little-endian, weights in the order of [`Weights`].
//!
//! | bytes | |
//! |---|---|
//! | 8 | magic `hanxinN` and a line feed |
//! | 4 | version, 3 |
//! | 2 | king buckets: 1, the weights are the same wherever the own king stands |
//! | 2 | hidden neurons of one perspective, *h* |
//! | 2 | neurons of the second layer, *s* |
//! | 2 | neurons of the third layer, *t* |
//! | 2 | output buckets |
//! | 2 | `QA`, unit of the hidden layer |
//! | 2 | `SCALE`, centipawns of an output of 1 |
//! | 2 + *n* | description: length, and UTF-8 text |
//! | *h* for each feature | feature weights, 1260 features |
//! | 2*h* | feature biases |
//!
//! and for each output bucket, as [`Head`] describes them,
//!
//! | bytes | |
//! |---|---|
//! | 2*hs* | weights of the second layer |
//! | 4*st* | weights of the third layer |
//! | 4*s* | biases of the second layer |
//! | 4*t* | biases of the third layer |
//! | 2*t* | output weights |
//! | 8 | output bias |
//!
//! and at the end 8 bytes: FNV-1a, 64 bits, of all bytes before.

use std::fmt;

use crate::util::fnv1a_64;

use super::architecture::{FEATURES, L1, L2, L3, OUTPUT_BUCKETS, QA, SCALE};
use super::network::{Head, Network, Weights, WeightsError};

const MAGIC: &[u8; 8] = b"hanxinN\n";
const VERSION: u32 = 3;
/// Bytes before the description.
const HEADER_BYTES: usize = MAGIC.len() + 4 + 2 * Sizes::COUNT + 2;
/// Bytes after the description.
const BODY_BYTES: usize = (FEATURES + 2) * L1 + OUTPUT_BUCKETS * HEAD_BYTES + size_of::<u64>();
/// Bytes of a [`Head`].
const HEAD_BYTES: usize = 2 * L1 * L2 + 4 * L2 * L3 + 4 * L2 + 6 * L3 + 8;

/// Why bytes are not a net that this program can use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The first bytes are others.
    #[error("is not a net of hanxin (it does not begin with 'hanxinN'); name another file")]
    NotANet,
    /// A version of the format that is not known.
    #[error("has format version {0}, known is {VERSION}; use the program it was made for")]
    Version(u32),
    /// Sizes other than those of this program.
    #[error(
        "has another architecture ({found}; needed: {needed}); use the program it was made for",
        needed = Sizes::OURS
    )]
    Architecture {
        /// The sizes that the file says it has.
        found: Sizes,
    },
    /// Bytes are missing.
    #[error("is cut off ({found} bytes of {needed}); get a complete copy")]
    Truncated {
        /// Bytes that there are.
        found: usize,
        /// Bytes that there must be.
        needed: usize,
    },
    /// There are more bytes than a net has.
    #[error("is too long ({found} bytes, a net has {needed}); get a fresh copy")]
    TooLong {
        /// Bytes that there are.
        found: usize,
        /// Bytes that there must be.
        needed: usize,
    },
    /// A bit somewhere is wrong.
    #[error("is damaged (wrong checksum); get a fresh copy")]
    Checksum,
    /// The description is not UTF-8.
    #[error("has a description that is not UTF-8; write the file again")]
    Description,
    /// The weights are unsafe.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// The architecture as a file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes([u16; Sizes::COUNT]);

impl Sizes {
    const COUNT: usize = 7;

    /// What this program is built for, with its one king bucket.
    pub const OURS: Sizes =
        Sizes([1, L1 as u16, L2 as u16, L3 as u16, OUTPUT_BUCKETS as u16, QA as u16, SCALE as u16]);
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [kings, hidden, second, third, outputs, qa, scale] = self.0;
        write!(
            f,
            "{kings} king buckets, {hidden}-{second}-{third} wide, {outputs} outputs, {qa}/{scale}"
        )
    }
}

impl Network {
    /// Reads a net.
    ///
    /// # Errors
    /// When the bytes are not a whole and undamaged net of this program's
    /// architecture, or its weights could overflow.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, FormatError> {
        let mut reader = Reader { rest: check(bytes)? };
        let length = usize::from(reader.u16());
        let description = std::str::from_utf8(reader.take(length))
            .map_err(|_| FormatError::Description)?
            .to_owned();
        let mut weights = Weights::zero();
        for feature in &mut weights.features {
            feature.0 = reader.array().map(u8::cast_signed);
        }
        weights.feature_biases.0.fill_with(|| reader.i16());
        weights.heads.iter_mut().for_each(|head| reader.fill(head));
        Ok(Network::new(description, weights)?)
    }

    /// The bytes of a file with this net.
    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = self.weights();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + self.description().len() + BODY_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(Sizes::OURS.0.iter().flat_map(|size| size.to_le_bytes()));
        bytes.extend((self.description().len() as u16).to_le_bytes());
        bytes.extend(self.description().as_bytes());
        bytes.extend(weights.features.iter().flat_map(|feature| feature.0.map(i8::cast_unsigned)));
        bytes.extend(weights.feature_biases.0.iter().flat_map(|bias| bias.to_le_bytes()));
        weights.heads.iter().for_each(|head| write(head, &mut bytes));
        bytes.extend(fnv1a_64(&bytes).to_le_bytes());
        bytes
    }
}

/// Checks head, length and sum; what follows the sizes comes back, as long as
/// it must be.
fn check(bytes: &[u8]) -> Result<&[u8], FormatError> {
    if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) || bytes.is_empty() {
        return Err(FormatError::NotANet);
    }
    if bytes.len() < HEADER_BYTES {
        return Err(FormatError::Truncated {
            found: bytes.len(),
            needed: HEADER_BYTES + BODY_BYTES,
        });
    }
    let mut reader = Reader { rest: &bytes[MAGIC.len()..] };
    let version = reader.u32();
    if version != VERSION {
        return Err(FormatError::Version(version));
    }
    let found = Sizes(std::array::from_fn(|_| reader.u16()));
    if found != Sizes::OURS {
        return Err(FormatError::Architecture { found });
    }
    let content = reader.rest;
    let needed = HEADER_BYTES + usize::from(reader.u16()) + BODY_BYTES;
    let found = bytes.len();
    if found < needed {
        return Err(FormatError::Truncated { found, needed });
    }
    if found > needed {
        return Err(FormatError::TooLong { found, needed });
    }
    let (summed, sum) = bytes.split_at(needed - size_of::<u64>());
    if sum != fnv1a_64(summed).to_le_bytes() {
        return Err(FormatError::Checksum);
    }
    Ok(content)
}

fn write(head: &Head, bytes: &mut Vec<u8>) {
    let weights = head.l2_weights.as_flattened().iter().chain(head.l3_weights.as_flattened());
    bytes.extend(weights.flat_map(|weight| weight.to_le_bytes()));
    let biases = head.l2_biases.iter().chain(&head.l3_biases);
    bytes.extend(biases.flat_map(|bias| bias.to_le_bytes()));
    bytes.extend(head.outputs.iter().flat_map(|weight| weight.to_le_bytes()));
    bytes.extend(head.output_bias.to_le_bytes());
}

/// Takes numbers off the front of bytes that are known to be long enough.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.take(N);
        std::array::from_fn(|i| taken[i])
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    fn i16(&mut self) -> i16 {
        i16::from_le_bytes(self.array())
    }

    fn fill(&mut self, head: &mut Head) {
        head.l2_weights.as_flattened_mut().fill_with(|| self.i16());
        head.l3_weights.as_flattened_mut().fill_with(|| self.i16());
        head.l2_biases.fill_with(|| self.u32().cast_signed());
        head.l3_biases.fill_with(|| self.u32().cast_signed());
        head.outputs.fill_with(|| self.i16());
        head.output_bias = i64::from_le_bytes(self.array());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::random_network;
    use super::*;

    fn resummed(mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.truncate(bytes.len() - size_of::<u64>());
        bytes.extend(fnv1a_64(&bytes).to_le_bytes());
        bytes
    }

    #[test]
    fn a_net_comes_back_as_it_was() {
        let network = random_network(1);
        let bytes = network.to_bytes();
        assert_eq!(bytes.len(), HEADER_BYTES + network.description().len() + BODY_BYTES);
        assert_eq!(Network::from_bytes(&bytes).as_ref(), Ok(&network));
    }

    #[test]
    fn every_cut_is_found() {
        let bytes = random_network(2).to_bytes();
        assert_eq!(Network::from_bytes(&[]), Err(FormatError::NotANet));
        let cuts =
            (1..200).chain((200..bytes.len()).step_by(997)).chain(bytes.len() - 9..bytes.len());
        for cut in cuts {
            let result = Network::from_bytes(&bytes[..cut]);
            assert!(matches!(result, Err(FormatError::Truncated { .. })), "{cut}: {result:?}");
        }
        let longer = [&bytes[..], b"\n"].concat();
        assert!(matches!(Network::from_bytes(&longer), Err(FormatError::TooLong { .. })));
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let bytes = random_network(3).to_bytes();
        for at in (0..80).chain((80..bytes.len()).step_by(4_999)).chain([bytes.len() - 1]) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(Network::from_bytes(&damaged).is_err(), "byte {at}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let bytes = random_network(4).to_bytes();
        let change = |at: usize, new: &[u8]| {
            let mut changed = bytes.clone();
            changed[at..at + new.len()].copy_from_slice(new);
            Network::from_bytes(&resummed(changed)).unwrap_err()
        };
        assert_eq!(change(0, b"x"), FormatError::NotANet);
        assert_eq!(change(8, &[2]), FormatError::Version(2));
        let wider = change(14, &9_999u16.to_le_bytes()).to_string();
        assert!(wider.contains("9999-16-32 wide"), "{wider}");
        assert!(wider.contains(&format!("{L1}-16-32 wide")), "{wider}");
        assert_eq!(change(HEADER_BYTES, &[0xFF]), FormatError::Description);
        let last_third_bias = bytes.len() - 8 - 8 - 2 * L3 - 4;
        let error = change(last_third_bias, &i32::MIN.to_le_bytes());
        assert_eq!(error, FormatError::Weights(WeightsError::Bias(i32::MIN.into())));
        assert!(!error.to_string().contains('\n'));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn other_bytes_are_no_net(bytes in prop::collection::vec(any::<u8>(), 0..200), head in 0..40usize) {
            let net = Network::new("x".into(), Weights::zero()).unwrap().to_bytes();
            let started = [&net[..head], &bytes].concat();
            prop_assert!(Network::from_bytes(&bytes).is_err());
            prop_assert!(Network::from_bytes(&started).is_err());
        }

        #[test]
        fn what_is_taken_for_a_net_is_written_the_same(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            near_the_head in any::<bool>(),
        ) {
            let mut bytes = Network::new("x".into(), Weights::zero()).unwrap().to_bytes();
            let range = if near_the_head { HEADER_BYTES + 8 } else { bytes.len() };
            for (at, byte) in changes {
                bytes[at.index(range)] = byte;
            }
            let bytes = resummed(bytes);
            if let Ok(network) = Network::from_bytes(&bytes) {
                prop_assert_eq!(network.to_bytes(), bytes);
            }
        }
    }
}
