//! The arithmetic of the net, once for each instruction set.
//!
//! [`Kernel::best`] looks at the processor; all kernels give the same numbers,
//! bit for bit, as [`Kernel::SCALAR`], which is plain Rust and always there.
//!
//! Updates of an accumulator add and subtract the weights of features, which
//! the compiler vectorises by itself: they are written once, in `scalar`, and
//! compiled again in each kernel with its instructions allowed. The second and
//! the third layer are written once too, in `algorithm`, in terms of a few
//! functions for each instruction set.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod algorithm;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512vnni;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

use super::architecture::L1;
use super::network::{Accumulator, FeatureWeights, Head};

/// An instruction set that this processor has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel(Set);

/// Whoever makes one of these has asked the processor, which is what makes
/// calling the functions behind it safe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Set {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// Calls a function of the kernel's file.
macro_rules! dispatch {
    ($kernel:expr, $function:ident($($argument:expr),*)) => {
        match $kernel.0 {
            Set::Scalar => scalar::$function($($argument),*),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the variant is made only where AVX2 was detected
            Set::Avx2 => unsafe { avx2::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the variant is made only where AVX-512 F, BW and VL were detected
            Set::Avx512 => unsafe { avx512::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the variant is made only where AVX-512 F, BW, VL and VNNI were detected
            Set::Avx512Vnni => unsafe { avx512vnni::$function($($argument),*) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: the variant is made only where NEON was detected
            Set::Neon => unsafe { neon::$function($($argument),*) },
        }
    };
}

impl Kernel {
    /// Plain Rust.
    pub const SCALAR: Kernel = Kernel(Set::Scalar);

    /// The fastest one.
    pub fn best() -> Kernel {
        Kernel::available().last().unwrap_or(Kernel::SCALAR)
    }

    /// All that this processor has, slowest first.
    pub fn available() -> impl Iterator<Item = Kernel> {
        #[cfg(target_arch = "x86_64")]
        let sets = {
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl");
            [
                (is_x86_feature_detected!("avx2"), Set::Avx2),
                (avx512, Set::Avx512),
                (avx512 && is_x86_feature_detected!("avx512vnni"), Set::Avx512Vnni),
            ]
        };
        #[cfg(target_arch = "aarch64")]
        let sets = [(std::arch::is_aarch64_feature_detected!("neon"), Set::Neon)];
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let sets = [];
        let detected = sets.into_iter().filter(|set| set.0).map(|set| Kernel(set.1));
        [Kernel::SCALAR].into_iter().chain(detected)
    }

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Set::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => "AVX-512 VNNI",
            #[cfg(target_arch = "aarch64")]
            Set::Neon => "NEON",
        }
    }

    /// `to = from + added - removed`, in one pass: a move.
    #[inline]
    pub fn add_sub(
        self,
        from: &Accumulator,
        added: &FeatureWeights,
        removed: &FeatureWeights,
        to: &mut Accumulator,
    ) {
        dispatch!(self, add_sub(from, added, removed, to));
    }

    /// `to = from + added - removed[0] - removed[1]`, in one pass: a capture.
    #[inline]
    pub fn add_sub_sub(
        self,
        from: &Accumulator,
        added: &FeatureWeights,
        removed: [&FeatureWeights; 2],
        to: &mut Accumulator,
    ) {
        dispatch!(self, add_sub_sub(from, added, removed, to));
    }

    /// `accumulator += sum of added - sum of removed`.
    #[inline]
    pub fn add_sub_all(
        self,
        accumulator: &mut Accumulator,
        added: &[&FeatureWeights],
        removed: &[&FeatureWeights],
    ) {
        dispatch!(self, add_sub_all(accumulator, added, removed));
    }

    /// What a head makes of both accumulators, that of the side to move first;
    /// the unit is that of [`Head::output_bias`]. The head must be one of a
    /// [`Network`](super::network::Network), which has looked at the ranges.
    #[inline]
    pub fn output(self, accumulators: [&Accumulator; 2], head: &Head) -> i64 {
        dispatch!(self, output(accumulators, head))
    }
}

/// The widest vector has 32 lanes of 16 bits, half a layer is made of them.
const _: () = assert!(L1.is_multiple_of(64));

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::super::architecture::{
        BIAS_MAX, L2, L2_WEIGHT_MAX, L3, L3_WEIGHT_MAX, OUTPUT_BIAS_MAX, QA,
    };
    use super::*;
    use crate::util::seeded;

    /// Numbers of all sizes, the extremes among them.
    fn random_numbers(seed: u64, largest: i16) -> impl FnMut() -> [i16; L1] {
        let mut rng = seeded(seed, 0);
        move || {
            let edge = rng.random_range(0..4);
            let scale = largest >> rng.random_range(0..8);
            std::array::from_fn(|_| match edge {
                0 => {
                    if rng.random() {
                        largest
                    } else {
                        -largest
                    }
                }
                1 => largest,
                2 => -largest,
                _ => rng.random_range(-scale..=scale),
            })
        }
    }

    fn random_accumulators(seed: u64, largest: i16) -> impl FnMut() -> Accumulator {
        let mut numbers = random_numbers(seed, largest);
        move || Accumulator(numbers())
    }

    fn random_weights(seed: u64) -> impl FnMut() -> FeatureWeights {
        let mut numbers = random_numbers(seed, i8::MAX.into());
        move || FeatureWeights(numbers().map(|number| number as i8))
    }

    #[test]
    fn the_scalar_kernel_does_what_it_says() {
        let (mut weights, mut accumulator) = (random_weights(1), random_accumulators(11, i16::MAX));
        for _ in 0..100 {
            let [added, removed, taken] = std::array::from_fn(|_| weights());
            let (from, mut to) = (accumulator(), accumulator());
            let expected = |i: usize, also: i8| {
                let change = i32::from(added.0[i]) - i32::from(removed.0[i]) - i32::from(also);
                (i32::from(from.0[i]) + change) as i16
            };
            Kernel::SCALAR.add_sub(&from, &added, &removed, &mut to);
            assert_eq!(to.0, std::array::from_fn(|i| expected(i, 0)));
            Kernel::SCALAR.add_sub_sub(&from, &added, [&removed, &taken], &mut to);
            assert_eq!(to.0, std::array::from_fn(|i| expected(i, taken.0[i])));
        }
    }

    #[test]
    fn the_scalar_kernel_computes_by_the_definition() {
        let (mut accumulator, mut head) = (random_accumulators(7, 2 * QA as i16), heads(8));
        for _ in 0..50 {
            let (accumulators, head) = ([accumulator(), accumulator()], head());
            let found = Kernel::SCALAR.output(accumulators.each_ref(), &head);
            assert_eq!(found, definition(&accumulators, &head));
        }
    }

    #[test]
    fn all_kernels_add_and_subtract_alike() {
        for kernel in Kernel::available() {
            let (mut weights, mut accumulator) =
                (random_weights(2), random_accumulators(12, i16::MAX));
            for _ in 0..200 {
                let [added, removed, taken] = std::array::from_fn(|_| weights());
                let [from, mut to, mut expected] = std::array::from_fn(|_| accumulator());
                kernel.add_sub(&from, &added, &removed, &mut to);
                Kernel::SCALAR.add_sub(&from, &added, &removed, &mut expected);
                assert_eq!(to, expected, "{}", kernel.name());
                kernel.add_sub_sub(&from, &added, [&removed, &taken], &mut to);
                Kernel::SCALAR.add_sub_sub(&from, &added, [&removed, &taken], &mut expected);
                assert_eq!(to, expected, "{}", kernel.name());
            }
        }
    }

    #[test]
    fn all_kernels_add_and_subtract_lists_alike() {
        let mut weights = random_weights(3);
        let start = random_accumulators(13, i16::MAX)();
        let pool: Vec<FeatureWeights> = (0..40).map(|_| weights()).collect();
        for kernel in Kernel::available() {
            for added in 0..20 {
                for removed in 0..20 {
                    let added: Vec<_> = pool[..added].iter().collect();
                    let removed: Vec<_> = pool[20..20 + removed].iter().collect();
                    let mut accumulator = start;
                    kernel.add_sub_all(&mut accumulator, &added, &removed);
                    let expected = |i: usize| {
                        let sum = |of: &[&FeatureWeights]| {
                            of.iter().map(|c| i64::from(c.0[i])).sum::<i64>()
                        };
                        (i64::from(start.0[i]) + sum(&added) - sum(&removed)) as i16
                    };
                    assert_eq!(accumulator.0, std::array::from_fn(expected), "{}", kernel.name());
                }
            }
        }
    }

    #[test]
    fn all_kernels_give_the_same_output() {
        for kernel in Kernel::available() {
            let mut accumulator = random_accumulators(4, i16::MAX);
            let mut in_range = random_accumulators(5, 2 * QA as i16);
            let mut head = heads(6);
            for _ in 0..500 {
                let head = head();
                for accumulators in [[accumulator(), accumulator()], [in_range(), in_range()]] {
                    let accumulators = accumulators.each_ref();
                    assert_eq!(
                        kernel.output(accumulators, &head),
                        Kernel::SCALAR.output(accumulators, &head),
                        "{}",
                        kernel.name()
                    );
                }
            }
        }
    }

    #[test]
    fn the_largest_sums_do_not_overflow() {
        let accumulators = [Accumulator([i16::MAX; L1]); 2];
        for sign in [1, -1] {
            let bias = i32::from(sign) * BIAS_MAX;
            let mut head = Head::ZERO;
            head.l2_weights.as_flattened_mut().fill(sign * L2_WEIGHT_MAX);
            head.l2_biases.fill(bias);
            head.l3_weights.as_flattened_mut().fill(sign * L3_WEIGHT_MAX);
            head.l3_biases.fill(bias);
            head.outputs.fill(i16::MAX);
            head.output_bias = i64::from(sign) * OUTPUT_BIAS_MAX;
            for kernel in Kernel::available() {
                let found = kernel.output(accumulators.each_ref(), &head);
                assert_eq!(found, definition(&accumulators, &head), "{}", kernel.name());
            }
        }
    }

    /// Heads with numbers of all sizes.
    fn heads(seed: u64) -> impl FnMut() -> Head {
        let mut rng = seeded(seed, 0);
        move || {
            let mut head = Head::ZERO;
            let size = rng.random_range(0..8);
            let mut number = |most: i32| rng.random_range(-most >> size..=most >> size);
            head.l2_weights.as_flattened_mut().fill_with(|| number(L2_WEIGHT_MAX.into()) as i16);
            head.l2_biases.fill_with(|| number(1 << 20));
            head.l3_weights.as_flattened_mut().fill_with(|| number(L3_WEIGHT_MAX.into()) as i16);
            head.l3_biases.fill_with(|| number(1 << 22));
            head.outputs.fill_with(|| number(i16::MAX.into()) as i16);
            head.output_bias = number(i32::MAX >> 1).into();
            head
        }
    }

    /// The output as the documentation of the net says, in 64 bits.
    fn definition(accumulators: &[Accumulator; 2], head: &Head) -> i64 {
        let clipped = |neuron: i16| i64::from(neuron).clamp(0, 255);
        let products = accumulators.iter().flat_map(|accumulator| {
            let (first, second) = accumulator.0.split_at(L1 / 2);
            first.iter().zip(second).map(move |(&a, &b)| clipped(a) * clipped(b) / 32)
        });
        let products: Vec<i64> = products.collect();
        let second = (0..L2).map(|neuron| {
            let weighed =
                |(input, value): (usize, &i64)| value * i64::from(head.l2_weights[neuron][input]);
            let sum: i64 = products.iter().enumerate().map(weighed).sum();
            sum + i64::from(head.l2_biases[neuron])
        });
        let second: Vec<i64> = second.collect();
        let linear = second.iter().map(|sum| sum.clamp(&0, &(1 << 20)) / 256);
        let square = second
            .iter()
            .map(|sum| sum.clamp(&-(1 << 20), &(1 << 20)).div_euclid(64).pow(2) / 65_536);
        let inputs: Vec<i64> = linear.chain(square).collect();
        let mut output = head.output_bias;
        for neuron in 0..L3 {
            let weighed =
                |(input, value): (usize, &i64)| value * i64::from(head.l3_weight(input, neuron));
            let sum: i64 = inputs.iter().enumerate().map(weighed).sum();
            let sum = (sum + i64::from(head.l3_biases[neuron])).div_euclid(1024);
            output += sum.clamp(0, 4096).pow(2) * i64::from(head.outputs[neuron]);
        }
        output
    }
}
