/// What a browser must know to be let in.
pub(super) struct Token(String);

impl Token {
    pub(super) fn new(token: String) -> Self {
        Self(token)
    }

    /// 128 bits. Errors: the system has no random numbers.
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        Ok(Self(format!("{:016x}{:016x}", random_number()?, random_number()?)))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes as long for a guess that is nearly right as for any other of its length.
    pub(super) fn is(&self, guess: &str) -> bool {
        let (token, guess) = (self.0.as_bytes(), guess.as_bytes());
        let differences = token.iter().zip(guess).fold(0, |sum, (a, b)| sum | (a ^ b));
        token.len() == guess.len() && differences == 0
    }
}

/// From the system. Errors: it has none.
pub(super) fn random_number() -> Result<u64, getrandom::Error> {
    getrandom::u64()
}

/// Logs are no place for it.
impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_the_token() {
        let token = Token::new("open sesame".into());
        assert!(token.is("open sesame"));
        assert!(["", "open sesam", "open sesame!", "open sesamE"].iter().all(|guess| !token.is(guess)));
        assert!(!format!("{token:?}").contains("sesame"));
    }

    #[test]
    fn random_tokens_differ() {
        let (a, b) = (Token::random().unwrap(), Token::random().unwrap());
        assert!(a.as_str().len() == 32 && !a.is(b.as_str()));
    }
}
