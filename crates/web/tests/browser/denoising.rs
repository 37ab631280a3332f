//! The denoiser in the panel and in the status.

use crate::chromium::Browser;
use crate::materials::choose;
use crate::using::{cornell, picture, state, wait_state};

/// Waits until the status of a finished image says that it is denoised, or does not.
fn wait_status(browser: &mut Browser, denoised: bool) {
    let done = "text.includes('done')";
    let word = "text.includes('samples · denoised ·')";
    let expected = if denoised { word.to_string() } else { format!("!{word}") };
    browser.wait(&format!(
        "(() => {{ const text = document.getElementById('status-text').textContent; return {done} && {expected}; }})()"
    ));
}

pub(crate) fn denoises() {
    let (_viewer, mut browser) = cornell();
    wait_status(&mut browser, true);
    let denoised = picture(&mut browser);
    let change = state(&mut browser, "state.view.change");
    choose(&mut browser, "view", "Denoise", "off");
    wait_state(&mut browser, "state.view.denoise === 'off'");
    wait_status(&mut browser, false);
    assert_ne!(picture(&mut browser), denoised, "it is shown as it was rendered");
    choose(&mut browser, "view", "Denoise", "neural network");
    wait_status(&mut browser, true);
    assert_eq!(picture(&mut browser), denoised, "the automatic choice is the neural network");
    assert_eq!(state(&mut browser, "state.view.change"), change, "nothing was rendered again");

    if sunfleck_engine::Denoiser::new(sunfleck_engine::DenoiseMethod::Oidn).is_err() {
        choose(&mut browser, "view", "Denoise", "Intel OIDN");
        browser.wait("document.querySelector('.toast.error')?.textContent.includes('the denoiser is still `learned`: Open Image Denoise was not found') ?? false");
        let menu =
            "[...document.querySelectorAll('#panel-view select')].some(menu => menu.value === 'learned')";
        browser.wait(menu);
    }
}
