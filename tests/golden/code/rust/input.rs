//! Gates of the lock.
use std::fmt;

/// A gate.
#[derive(Debug, Clone)]
pub struct Gate<T> {
    name: T,
    open: bool,
}

impl<T: fmt::Display> fmt::Display for Gate<T> {
    /// Shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gate {} {{ not a brace", self.name)
    }
}

/// Moves.
pub trait Mover {
    const LIMIT: u32 = 4;

    fn open(&mut self);

    fn shut(&mut self) {
        self.open();
    }
}

macro_rules! gate {
    ($n:expr) => { Gate { name: $n, open: false } };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens() {
        let text = r#"fn fake() {"#;
        assert!(text.len() > 3);
    }
}
