//! The checksums of our file formats.

/// CRC-32 (ISO-HDLC, as in zip files), for new formats.
pub use crc32fast::hash as crc32;

/// FNV-1a, 64 bits (Fowler, Noll and Vo), of net files.
pub fn fnv1a_64(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, step)
}

/// FNV-1a, 32 bits, of training games and checkpoints.
pub fn fnv1a_32(bytes: &[u8]) -> u32 {
    let step = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811C_9DC5, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_references() {
        assert_eq!((crc32(b"123456789"), crc32(b"")), (0xCBF4_3926, 0));
        assert_eq!(fnv1a_64(b"foobar"), 0x8594_4171_F739_67E8);
        assert_eq!(fnv1a_32(b"foobar"), 0xBF9C_F968);
    }
}
