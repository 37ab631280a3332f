//! Access token of a viewer.

/// Secret that browsers need to connect.
pub(super) struct Token(String);

impl Token {
    pub(super) fn new(token: String) -> Self {
        Self(token)
    }

    /// Makes a random token of 128 bits.
    ///
    /// # Errors
    /// The system provides no random numbers.
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        Ok(Self(format!("{:016x}{:016x}", random_number()?, random_number()?)))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares in constant time, so that response times reveal nothing about the token.
    pub(super) fn matches(&self, guess: &str) -> bool {
        let (token, guess) = (self.0.as_bytes(), guess.as_bytes());
        let differences = token.iter().zip(guess).fold(0, |sum, (a, b)| sum | (a ^ b));
        token.len() == guess.len() && differences == 0
    }
}

/// Returns a random number of the system.
///
/// # Errors
/// The system provides no random numbers.
pub(super) fn random_number() -> Result<u64, getrandom::Error> {
    getrandom::u64()
}

/// Hides the token from logs.
impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_matches() {
        let token = Token::new("open sesame".into());
        assert!(token.matches("open sesame"));
        assert!(["", "open sesam", "open sesame!", "open sesamE"].iter().all(|guess| !token.matches(guess)));
        assert!(!format!("{token:?}").contains("sesame"));
    }

    #[test]
    fn random_tokens_differ() {
        let (a, b) = (Token::random().unwrap(), Token::random().unwrap());
        assert!(a.as_str().len() == 32 && !a.matches(b.as_str()));
    }
}
