//! Short vectors of lattices of few dimensions: enough to find a number from the highest bits of its multiples.

/// A reduced basis, and the orthogonal vectors of Gram and Schmidt.
#[derive(Clone, Debug)]
pub(crate) struct Lattice {
    basis: Vec<Vec<i128>>,
    orthogonal: Vec<Vec<f64>>,
    norms: Vec<f64>,
}

fn dot(a: &[i128], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| *a as f64 * b).sum()
}

impl Lattice {
    /// Reduces a basis by the algorithm of Lenstra, Lenstra and Lovász.
    pub(crate) fn reduced(basis: Vec<Vec<i128>>) -> Self {
        let size = basis.len();
        let orthogonal = basis.iter().map(|row| row.iter().map(|&x| x as f64).collect()).collect();
        let mut lattice = Lattice { basis, orthogonal, norms: vec![0.0; size] };
        lattice.project(0);
        let mut at = 1;
        while at < size {
            lattice.shorten(at);
            let before = at - 1;
            let share = dot(&lattice.basis[at], &lattice.orthogonal[before]) / lattice.norms[before];
            if lattice.norms[at] >= (0.99 - share * share) * lattice.norms[before] {
                at += 1;
            } else {
                lattice.basis.swap(at, before);
                lattice.project(before);
                at = before.max(1);
            }
        }
        lattice
    }

    /// Computes the orthogonal vector of a row from those before.
    fn project(&mut self, at: usize) {
        let mut vector: Vec<f64> = self.basis[at].iter().map(|&x| x as f64).collect();
        for before in 0..at {
            let share = dot(&self.basis[at], &self.orthogonal[before]) / self.norms[before];
            vector.iter_mut().zip(&self.orthogonal[before]).for_each(|(x, y)| *x -= share * y);
        }
        self.norms[at] = vector.iter().map(|x| x * x).sum();
        self.orthogonal[at] = vector;
    }

    /// Subtracts multiples of the rows before from a row.
    fn shorten(&mut self, at: usize) {
        // Floating point numbers have fewer digits than the entries: each round makes these smaller.
        for _ in 0..8 {
            let mut is_done = true;
            for before in (0..at).rev() {
                let share = (dot(&self.basis[at], &self.orthogonal[before]) / self.norms[before]).round();
                if share != 0.0 {
                    is_done = false;
                    let (head, tail) = self.basis.split_at_mut(at);
                    tail[0].iter_mut().zip(&head[before]).for_each(|(x, y)| *x -= share as i128 * y);
                }
            }
            if is_done {
                break;
            }
        }
        self.project(at);
    }

    /// A vector of the lattice near to this one, by Babai's nearest plane.
    pub(crate) fn near(&self, target: &[i128]) -> Vec<i128> {
        let mut rest = target.to_vec();
        for (row, (orthogonal, norm)) in self.basis.iter().zip(self.orthogonal.iter().zip(&self.norms)).rev()
        {
            let times = (dot(&rest, orthogonal) / norm).round() as i128;
            rest.iter_mut().zip(row).for_each(|(x, y)| *x -= times * y);
        }
        target.iter().zip(&rest).map(|(x, y)| x - y).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number is found from the four highest bits of multiples of it.
    #[test]
    fn hidden_numbers_are_found() {
        let (modulus, factor, size) = (1_i128 << 48, 0x5_DEEC_E66D_i128, 18);
        let mut basis = vec![vec![0; size]; size];
        basis[0][0] = 1;
        for n in 1..size {
            basis[0][n] = basis[0][n - 1] * factor % modulus;
            basis[n][n] = modulus;
        }
        let factors = basis[0].clone();
        let lattice = Lattice::reduced(basis);
        for secret in [1, 0xDEAD_BEEF_CAFE, 0x1234_5678_9ABC, (1 << 48) - 1] {
            let known: Vec<i128> =
                factors.iter().map(|f| ((f * secret % modulus) >> 44 << 44) | 1 << 43).collect();
            assert_eq!(lattice.near(&known)[0].rem_euclid(modulus), secret);
        }
    }
}
