# Numbers of tests/library/test_weights.py. Debian: r-base-core r-cran-survey r-cran-mass. Run: Rscript weights.R
library(survey)
i <- 0:199
d <- data.frame(
  sex = factor(ifelse((i * 7) %% 3 > 0, "f", "m")), age = factor((i * 17 + i %/% 7) %% 4),
  region = factor((i * 11) %/% 5 %% 5), w = 1 + ((i * 37) %% 50) / 10, y = as.numeric((i * 13 + 5) %% 7 < 3),
  x = ((i * 29) %% 83) / 10, cluster = i %/% 10)
n <- sum(d$w)
margins <- c("(Intercept)" = n, sexm = .45 * n, age1 = .2 * n, age2 = .3 * n, age3 = .25 * n,
  region1 = .15 * n, region2 = .2 * n, region3 = .25 * n, region4 = .1 * n)
shown <- c(1, 2, 3, 50, 100, 200)
show <- function(name, design) {
  mean <- svymean(~y, design)
  cat(name, sprintf("%.14f", c(weights(design)[shown], coef(mean), SE(mean))), "\n")
}
to <- function(design, ..., formula = ~ sex + age + region, totals = margins, epsilon = 1e-13)
  calibrate(design, formula, totals, epsilon = epsilon, maxit = 200, ...)
people <- svydesign(ids = ~1, weights = ~w, data = d)
raked <- to(people, calfun = "raking")
show("plain", people)
show("linear", to(people, calfun = "linear"))
show("raking", raked)
show("logit", to(people, calfun = "logit", bounds = c(.4, 2.5)))
show("bounded", to(people, calfun = "linear", bounds = c(.4, 2.6), epsilon = 1e-9))
show("mean", to(people, calfun = "raking", formula = ~ sex + age + region + x, totals = c(margins, x = 4.3 * n)))
show("clusters", to(svydesign(ids = ~cluster, weights = ~w, data = d), calfun = "raking"))
show("strata", to(svydesign(ids = ~1, strata = ~region, weights = ~w, data = d), calfun = "raking"))
parts <- svyby(~y, ~sex, raked, svymean)
cat("parts", sprintf("%.14f", c(coef(parts), SE(parts))), "\n")
cat("trim", sprintf("%.14f", weights(trimWeights(people, lower = 1.5, upper = 5, strict = TRUE))[shown]), "\n")
# The jackknife, about the estimate of all: replicates are calibrated, too.
again <- function(design, type) as.svrepdesign(design, type = type, mse = TRUE)
show("JK1", again(people, "JK1"))
show("JKn", again(svydesign(ids = ~1, strata = ~region, weights = ~w, data = d), "JKn"))
show("JKc", to(again(svydesign(ids = ~cluster, weights = ~w, data = d), "JK1"), calfun = "raking"))
