use super::{Channels, Run, Solution, subtract};

pub(super) fn solve(mut run: Run<'_>, mut radiosity: Channels) -> Solution {
    let mut next = Channels::black(radiosity.len());
    loop {
        run.system.gather(&run.source, &radiosity, &mut next);
        // The step of an iteration is the residual before it
        let mut residual = next.clone();
        subtract(&mut residual, &radiosity);
        if run.record(&residual) {
            return run.finish(radiosity);
        }
        std::mem::swap(&mut radiosity, &mut next);
    }
}
