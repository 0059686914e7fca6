# Numbers of tests/library/test_multilevel.py. Debian: r-base-core r-cran-lme4. Run: Rscript multilevel.R
library(lme4)
i <- 0:599
d <- data.frame(x = ((i * 29) %% 83) / 40 - 1, g = i %/% 30)
d$y <- as.numeric((i * 17 + (d$g * 31) %% 19 * 7) %% 23 < 6 + 5 * ((d$g * 7) %% 3) + 4 * d$x)
for (link in c("logit", "probit", "cloglog")) {
f <- glmer(y ~ x + (1 | g), d, family = binomial(link), nAGQ = 25, control = glmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10), tolPwrss = 1e-12))
cat(link, sprintf("%.7f", c(fixef(f), attr(VarCorr(f)$g, "stddev"), logLik(f), sqrt(diag(as.matrix(vcov(f)))))), "\n")
}
