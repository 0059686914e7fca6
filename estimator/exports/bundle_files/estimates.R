# What rebuild.R and analysis.R put together: shares, means, strata, and intervals for every look. Base R alone; formulas.R is needed.

FEWEST <- 10  # fewer reports than this give no numbers, and strata of fewer are weighted as one
STEADY <- 4   # standard errors by which the share of those who gave a value must be above 0

# ---- Shares --------------------------------------------------------------------------------------------------------

# How many reports say each choice, or hold a 1 for it.
sent <- function(item, counts) if (item$encoding == "single") counts[1, ] else counts[, 2]

# An interval within [0, 1] that holds the estimate; [0, 1] where nothing is known.
around <- function(estimate, low, high) {
  known <- !(is.na(low) | is.na(high))
  low <- pmin(pmax(ifelse(known, low, 0), 0), 1)
  high <- pmin(pmax(ifelse(known, high, 1), 0), 1)
  list(low = pmin(low, estimate), high = pmax(high, estimate))
}

wald <- function(estimate, covariance, level) {
  half <- normal_quantile(level) * sqrt(pmax(diag(covariance), 0))
  list(low = estimate - half, high = estimate + half)
}

# A binomial interval of the rate of a report, mapped to the share of its answer.
mapped <- function(method, ones, n, a, b, level) {
  ends <- mapply(function(s, a, b) sort((method(s, n, level, min(a, b), max(a, b)) - b) / (a - b)), ones, a, b)
  list(low = ends[1, ], high = ends[2, ])
}

# Limits of equal tails among those who took part, not cut to [0, 1]: the score's (Wilson 1927) by the tickets' part of the
# variance alone, with a continuity correction of half a report.
corrected <- function(ones, n, a, b, level) {
  d <- a - b
  scale <- normal_quantile(level)^2 / n
  end <- function(rates, side) {
    linear <- d * (rates - b) + scale * (a * (1 - a) - b * (1 - b)) / 2
    constant <- (rates - b)^2 - scale * b * (1 - b)
    (linear + side * sqrt(pmax(linear^2 - d^2 * constant, 0))) / d^2
  }
  list(low = end((ones - sign(d) / 2) / n, -1), high = end((ones + sign(d) / 2) / n, 1))
}

# The interval of the share among those who took part: a and b are the chances of the report with and without the answer.
among <- function(ones, n, a, b, level) {
  ends <- mapply(function(s, a, b) took_part(s, n, level, a, b), ones, a, b)
  list(low = ends[1, ], high = ends[2, ])
}

shares_of <- function(constrained, unbiased, covariance, noise, limits, noise_limits, n, methods, exclusive = TRUE) {
  limits <- around(constrained, limits$low, limits$high)
  noise_limits <- around(constrained, noise_limits$low, noise_limits$high)
  list(
    unbiased = unbiased, constrained = constrained, covariance = covariance, noise = noise,
    error = sqrt(pmax(diag(covariance), 0)), noise_error = sqrt(pmax(diag(noise), 0)),
    low = limits$low, high = limits$high, noise_low = noise_limits$low, noise_high = noise_limits$high,
    n = n, method = methods[1], noise_method = methods[2], exclusive = exclusive
  )
}

# One symbol, one of the answers (Warner 1965; Boruch 1971; van den Hout & van der Heijden 2002).
shares_of_table <- function(counts, weights, level) {
  n <- sum(counts)
  P <- weights / sum(weights[1, ])
  B <- left_inverse(weights)
  lambda <- counts / n
  unbiased <- drop(B %*% lambda)
  constrained <- most_likely(counts, weights)
  covariance <- (B %*% (lambda * t(B)) - outer(unbiased, unbiased)) / (n - 1)
  noise <- (B %*% (drop(t(P) %*% constrained) * t(B)) - diag(constrained)) / n
  b <- background(weights)
  if (!is.null(b)) {
    a <- diag(weights) / sum(weights[1, ])
    b <- b / sum(weights[1, ])
    limits <- mapped(feldman_cousins, counts, n, a, b, level)
    noise_limits <- among(counts, n, a, b, level)
    methods <- c("feldman_cousins", "convolution")
    shares <- shares_of(constrained, unbiased, covariance, noise, limits, noise_limits, n, methods)
    tails <- mapped(clopper_pearson, counts, n, a, b, level)
    noise_tails <- corrected(counts, n, a, b, level)
    return(c(shares, list(rates = lambda, weights = weights, tails = tails, noise_tails = noise_tails)))
  }
  likely <- nrow(P) <= 32
  ends <- if (likely) profile_limits(counts, weights, level)
  limits <- if (likely) list(low = ends[1, ], high = ends[2, ]) else wald(unbiased, covariance, level)
  methods <- c(if (likely) "likelihood" else "wald", "wald")
  shares <- shares_of(constrained, unbiased, covariance, noise, limits, wald(unbiased, noise, level), n, methods)
  c(shares, list(rates = lambda, weights = weights))
}

# A bit for each choice: marks of one choice (one_hot; Wang, Blocki, Li & Jha 2017), a set of choices (subset; Ye & Barg
# 2018), or several choices (each_option). a and b are the chances of a 1 with and without the answer.
shares_of_bits <- function(ones, n, item, level) {
  chances <- chances_of_one(item)
  a <- chances[1]
  b <- chances[2]
  rates <- ones / n
  unbiased <- (rates - b) / (a - b)
  several <- item$encoding == "each_option"
  constrained <- if (several) pmin(pmax(unbiased, 0), 1) else nearest_on_simplex(unbiased)
  moment <- rates * (1 - rates) / (a - b)^2
  tickets <- (constrained * a * (1 - a) + (1 - constrained) * b * (1 - b)) / (a - b)^2
  k <- length(ones)
  limits <- mapped(feldman_cousins, ones, n, rep(a, k), rep(b, k), level)
  noise_limits <- among(ones, n, rep(a, k), rep(b, k), level)
  # Only variances: the covariances of marks enter no number of the report.
  covariance <- diag(moment / (n - 1), k)
  noise <- diag(tickets / n, k)
  methods <- c("feldman_cousins", "convolution")
  shares <- shares_of(constrained, unbiased, covariance, noise, limits, noise_limits, n, methods, !several)
  tails <- mapped(clopper_pearson, ones, n, rep(a, k), rep(b, k), level)
  c(shares, list(tails = tails, noise_tails = corrected(ones, n, rep(a, k), rep(b, k), level)))
}

chances_of_one <- function(item) {
  w <- item$weights
  if (item$encoding != "subset") return(c(w[2, 2], w[1, 2]) / sum(w[1, ]))
  truth <- w[1, 2] / sum(w[1, ])
  c(truth, (truth * (item$size - 1) + (1 - truth) * item$size) / (item$k - 1))
}

# ---- Means ---------------------------------------------------------------------------------------------------------

no_mean <- function(ends, n) list(
  unbiased = NaN, constrained = NaN, error = NaN, noise_error = NaN, low = ends[1], high = ends[2], noise_low = ends[1],
  noise_high = ends[2], ends = ends, n = n, method = "none", noise_method = "none", direct = NaN
)

clipped <- function(limits, constrained, ends) {
  limits <- pmin(pmax(limits, ends[1]), ends[2])
  c(min(limits[1], constrained), max(limits[2], constrained))
}

mean_of <- function(unbiased, constrained, error, noise_error, ends, n, level, method, direct, limits = NULL) {
  z <- normal_quantile(level)
  if (is.null(limits)) limits <- unbiased + c(-z, z) * error
  limits <- clipped(limits, constrained, ends)
  noise <- clipped(unbiased + c(-z, z) * noise_error, constrained, ends)
  list(
    unbiased = unbiased, constrained = constrained, error = error, noise_error = noise_error, low = limits[1],
    high = limits[2], noise_low = noise[1], noise_high = noise[2], ends = ends, n = n, method = method,
    noise_method = if (method == "delta") "delta" else "wald", direct = direct
  )
}

# The mean of a scale from its shares; of those who gave a point a ratio, by the delta method (Cochran 1977, 6.3).
mean_of_shares <- function(shares, values, level) {
  valued <- !is.na(values)
  grid <- ifelse(valued, values, 0)
  ends <- range(values[valued])
  error <- function(slope, covariance) sqrt(max(drop(slope %*% covariance %*% slope), 0))
  ratio <- !all(valued)
  share <- if (ratio) sum(shares$unbiased[valued]) else 1
  spread <- if (ratio) error(as.numeric(valued), shares$covariance) else 0
  if (is.na(share) || is.na(spread) || share < STEADY * spread || share <= 0) return(no_mean(ends, shares$n))
  unbiased <- sum(shares$unbiased * grid) / share
  slope <- if (ratio) ifelse(valued, grid - unbiased, 0) / share else grid
  theta <- shares$constrained * valued
  constrained <- min(max(sum(theta * grid) / sum(theta), ends[1]), ends[2])
  direct <- sum(theta * (grid - constrained)^2) / sum(theta)^2
  errors <- c(error(slope, shares$covariance), error(slope, shares$noise))
  method <- if (ratio) "delta" else "wald"
  mean_of(unbiased, constrained, errors[1], errors[2], ends, shares$n, level, method, direct)
}

# Scores with P scores = values: their mean over the reports is unbiased for the mean of the values (Duchi, Jordan &
# Wainwright 2018). Of all such scores those of least variance at equally frequent answers.
scores_of <- function(weights, values) {
  P <- weights / sum(weights[1, ])
  rates <- colMeans(P)
  scale <- ifelse(rates > 0, 1 / sqrt(rates), 0)
  parts <- svd(P * rep(scale, each = nrow(P)))
  kept <- parts$d > max(dim(P)) * .Machine$double.eps * parts$d[1]
  inverse <- parts$v[, kept, drop = FALSE] %*% (t(parts$u[, kept, drop = FALSE]) / parts$d[kept])
  scale * drop(inverse %*% values)
}

mean_of_number <- function(counts, item, level) {
  P <- item$weights / sum(item$weights[1, ])
  grid <- item$values
  ends <- range(grid)
  scores <- scores_of(item$weights, grid)
  n <- sum(counts)
  unbiased <- if (max(counts) == n) scores[which.max(counts)] else sum(scores * counts) / n
  tells <- !is.null(background(item$weights)) || independent(item$weights)
  theta <- if (tells) most_likely(counts, item$weights)
  constrained <- min(max(if (tells) sum(grid * theta) else unbiased, ends[1]), ends[2])
  people <- if (tells) theta else next_to(grid, constrained)  # else all at the mean: the most that tickets can do
  variances <- drop(P %*% scores^2) - drop(P %*% scores)^2
  error <- sqrt(sum(counts * (scores - unbiased)^2) / n / (n - 1))
  noise_error <- sqrt(max(sum(people * variances), 0) / n)
  direct <- if (tells) sum(theta * (grid - sum(grid * theta))^2) else NaN
  two <- length(counts) == 2
  rates <- if (two) feldman_cousins(counts[2], n, level, min(P[, 2]), max(P[, 2]))
  limits <- if (two) sort(scores[1] + (scores[2] - scores[1]) * rates)
  method <- if (two) "feldman_cousins" else "wald"
  mean <- mean_of(unbiased, constrained, error, noise_error, ends, n, level, method, direct, limits)
  tails <- if (two) sort(scores[1] + (scores[2] - scores[1]) * clopper_pearson(counts[2], n, level))
  c(mean, list(tails = tails))
}

next_to <- function(grid, mean) {
  theta <- rep(0, length(grid))
  by <- order(grid)
  low <- findInterval(mean, grid[by], rightmost.closed = TRUE)
  part <- (mean - grid[by][low]) / (grid[by][low + 1] - grid[by][low])
  theta[by[c(low, low + 1)]] <- c(1 - part, part)
  theta
}

# ---- A question: what is estimated of counts with a row for each symbol --------------------------------------------

fit <- function(item, counts, level) {
  n <- sum(counts[1, ])
  if (n < FEWEST) NULL else fit_of(item, counts, n, level)
}

fit_of <- function(item, counts, n, level) {
  if (item$kind == "number") return(list(mean = mean_of_number(counts[1, ], item, level)))
  shares <- if (item$encoding == "single") shares_of_table(counts[1, ], item$weights, level)
            else shares_of_bits(counts[, 2], n, item, level)
  list(shares = shares, mean = if (item$kind == "scale") mean_of_shares(shares, item$values, level))
}

# ---- Strata by their known shares W of the population (Cochran 1977, chapter 5), and every look --------------------

# The places of the strata that are weighted: small ones together, and where they are too few the next larger too.
collapsed <- function(sizes, fewest) {
  small <- which(sizes < fewest)
  others <- setdiff(order(sizes, seq_along(sizes)), small)
  while (length(small) && length(others) && sum(sizes[small]) < fewest) {
    small <- c(small, others[1])
    others <- others[-1]
  }
  c(as.list(sort(others)), if (length(small)) list(sort(small)))
}

# The interval of a weighted sum, by the variances recovered from the strata's limits (Zou, Huang & Zhang 2009); NULL
# where a stratum has none.
recovered <- function(fits, W, centre, tails = "tails") {
  if (any(sapply(fits, function(fit) is.null(fit[[tails]])))) return(NULL)
  reach <- function(end) sqrt(Reduce(`+`, Map(function(fit, w) (w * (fit[[tails]][[end]] - fit$unbiased))^2, fits, W)))
  list(low = centre - reach(1), high = centre + reach(2))
}

combined_shares <- function(fits, W, level) {
  sum_of <- function(name, weights) Reduce(`+`, Map(function(fit, w) w * fit[[name]], fits, weights))
  kept <- W > 0
  fits <- fits[kept]
  n <- sum(sapply(fits, `[[`, "n"))
  unbiased <- sum_of("unbiased", W[kept])
  covariance <- sum_of("covariance", W[kept]^2)
  noise <- sum_of("noise", W[kept]^2)
  exclusive <- fits[[1]]$exclusive
  constrained <- if (!exclusive) pmin(pmax(unbiased, 0), 1)
    else if (is.null(fits[[1]]$rates)) nearest_on_simplex(unbiased)
    else most_likely(sum_of("rates", W[kept]), fits[[1]]$weights)  # of the weighted reports (Skinner 1989)
  limits <- recovered(fits, W[kept], pmin(pmax(unbiased, 0), 1))
  noise_limits <- recovered(fits, W[kept], pmin(pmax(unbiased, 0), 1), "noise_tails")
  methods <- c(if (is.null(limits)) "wald" else "recovered", if (is.null(noise_limits)) "wald" else "recovered_score")
  if (is.null(limits)) limits <- wald(unbiased, covariance, level)
  if (is.null(noise_limits)) noise_limits <- wald(unbiased, noise, level)
  shares_of(constrained, unbiased, covariance, noise, limits, noise_limits, n, methods, exclusive)
}

combined_means <- function(fits, W, level) {
  part <- function(name) sapply(fits, `[[`, name)
  n <- sum(part("n"))
  ends <- fits[[1]]$ends
  unbiased <- sum(W * part("unbiased"))
  if (is.nan(unbiased)) return(no_mean(ends, n))
  error <- sqrt(sum((W * part("error"))^2))
  noise_error <- sqrt(sum((W * part("noise_error"))^2))
  centre <- sum(W * part("constrained"))
  direct <- sum(W * (part("direct") + (part("constrained") - centre)^2))
  constrained <- min(max(unbiased, ends[1]), ends[2])
  limits <- unlist(recovered(fits[W > 0], W[W > 0], constrained), use.names = FALSE)
  method <- if (is.null(limits)) "wald" else "recovered"
  mean_of(unbiased, constrained, error, noise_error, ends, n, level, method, direct, limits)
}

# Shares with intervals that hold at all looks together; `counts` are NULL for weighted strata.
shares_at_every_look <- function(shares, item, counts, level) {
  b <- if (item$encoding == "single") background(item$weights)
  binomial <- !is.null(counts) && (item$encoding != "single" || !is.null(b))
  many <- errors_at_every_look(shares$n, level)
  if (binomial && item$encoding == "single") {
    D <- sum(item$weights[1, ])
    limits <- mapped(mixture, sent(item, counts), shares$n, diag(item$weights) / D, b / D, level)
  } else if (binomial) {
    chances <- chances_of_one(item)
    limits <- mapped(mixture, sent(item, counts), shares$n, rep(chances[1], item$k), rep(chances[2], item$k), level)
  } else {
    half <- many * pmax(shares$error, shares$noise_error)
    limits <- list(low = shares$unbiased - half, high = shares$unbiased + half)
  }
  half <- many * shares$noise_error
  # No shorter than the interval for one look.
  limits <- around(shares$constrained, pmin(limits$low, shares$low), pmax(limits$high, shares$high))
  noise_low <- pmin(shares$unbiased - half, shares$noise_low)
  noise_high <- pmax(shares$unbiased + half, shares$noise_high)
  noise <- around(shares$constrained, noise_low, noise_high)
  method <- if (binomial) "beta_binomial_mixture" else "normal_mixture"
  modifyList(shares, list(
    low = limits$low, high = limits$high, noise_low = noise$low, noise_high = noise$high, method = method,
    noise_method = "normal_mixture"
  ))
}

mean_at_every_look <- function(mean, item, counts, level) {
  if (is.nan(mean$unbiased)) return(mean)
  many <- errors_at_every_look(mean$n, level)
  binomial <- !is.null(counts) && item$kind == "number" && ncol(item$weights) == 2
  if (binomial) {
    scores <- scores_of(item$weights, item$values)
    limits <- sort(scores[1] + (scores[2] - scores[1]) * mixture(counts[1, 2], mean$n, level))
  } else {
    limits <- mean$unbiased + c(-1, 1) * many * max(mean$error, mean$noise_error)
  }
  limits <- clipped(limits, mean$constrained, mean$ends)
  noise <- clipped(mean$unbiased + c(-1, 1) * many * mean$noise_error, mean$constrained, mean$ends)
  modifyList(mean, list(
    low = limits[1], high = limits[2], noise_low = noise[1], noise_high = noise[2],
    method = if (binomial) "beta_binomial_mixture" else "normal_mixture", noise_method = "normal_mixture"
  ))
}
