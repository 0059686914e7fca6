# R's numbers for tests/library/test_published.py: R's own glm with the link of GLMMRR, run to its end. Run by
#     Rscript tests/library/published.R
# Counts as in benchmarks/published.py: by design, whether the dice say that somebody cheated, responses 0 and 1.
counts <- c(361, 3, 5, 12, 117, 417, 20, 15, 155, 384, 16, 18, 631, 98, 21, 19, 156, 27, 3, 6, 164, 20, 4, 5, 154, 33, 6, 5,
            167, 18, 5, 5)
each <- rep(seq_along(counts), counts)  # a line for each person, as glm starts from them
model <- rep(c("DQ", "CW", "CW", "FR", "UQ", "UQ", "UQ", "UQ"), each = 4)[each]
p <- rep(c(1, 0.1594625, 0.1971293, 0.75, 0.778, 0.778, 0.778, 0.778), each = 4)[each]
q <- rep(c(0, 0, 0, 2 / 3, 0.49, 0.493, 0.495, 0.521), each = 4)[each]
cheated <- rep(c(0, 0, 1, 1), 8)[each]
response <- rep(0:1, 16)[each]
low <- ifelse(model == "DQ", 0, ifelse(model == "CW", 1 - p, (1 - p) * q))
slope <- ifelse(model == "DQ", 1, ifelse(model == "CW", 2 * p - 1, p))
link <- structure(list(
  linkfun = function(mu) qlogis(pmin(pmax((mu - low) / slope, 0.001), 0.999)),
  linkinv = function(eta) low + slope * plogis(eta), mu.eta = function(eta) slope * dlogis(eta),
  valideta = function(eta) TRUE, name = "randomised"
), class = "link-glm")
fit <- glm(response ~ cheated * (model == "CW") + cheated * (model == "UQ") + (model == "FR"), binomial(link),
           control = glm.control(epsilon = 1e-14, maxit = 200))
print(coef(summary(fit))[, 1:2], digits = 8)
print(deviance(fit), digits = 10)
