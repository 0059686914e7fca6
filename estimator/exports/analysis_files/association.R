# The association of two answers, for analysis.R: of the most likely table of a yes and a yes, read row by row.

# Shares that are never negative, of which those below a billionth are 0.
most_likely_shares <- function(unbiased, reported, P) {
  inside <- nrow(P) == ncol(P) && min(unbiased) >= 0
  shares <- if (inside) unbiased / sum(unbiased) else on_simplex(reported / sum(reported), P)
  shares[shares < 1e-9] <- 0
  shares / sum(shares)
}

# Phi and the odds ratio, by the delta method on the scales of atanh and of the logarithm. Where a share is 0 there are
# the estimates alone, if they are finite: their limits are those of the profile likelihood.
association <- function(p, covariance, quantile) {
  row <- p[3] + p[4]
  column <- p[2] + p[4]
  spread <- row * (1 - row) * column * (1 - column)
  phi <- (p[1] * p[4] - p[2] * p[3]) / sqrt(spread)
  odds <- if (p[2] * p[3] > 0) p[1] * p[4] / (p[2] * p[3]) else NA
  if (min(p) == 0) {
    alone <- function(estimate) if (is.finite(estimate)) list(estimate = estimate) else list()
    return(list(phi = alone(phi), odds = alone(odds)))
  }
  tilt <- (1 - 2 * row) / (row * (1 - row)) * c(0, 0, 1, 1) + (1 - 2 * column) / (column * (1 - column)) * c(0, 1, 0, 1)
  slope <- c(p[4], -p[3], -p[2], p[1]) / sqrt(spread) - phi / 2 * tilt
  by <- sqrt(drop(slope %*% covariance %*% slope))
  ends <- tanh(atanh(phi) + c(-1, 1) * quantile * by / (1 - phi^2))
  bends <- c(1, -1, -1, 1) / p
  log_error <- sqrt(drop(bends %*% covariance %*% bends))
  limits <- odds * exp(c(-1, 1) * quantile * log_error)
  list(phi = numbers(phi, by, ends[1], ends[2]), odds = numbers(odds, log_error, limits[1], limits[2]))
}
