# The formulas behind rebuild.R: intervals of a binomial rate, tables and their inverses, maximum likelihood.
#
# Notation: P[x, y] is the chance that the true answer x is sent as y: tickets over their number D. theta are the shares
# of the true answers, lambda those of what was sent; lambda = t(P) theta.

TIGHTEST_AT <- 500  # reports at which the normal mixture is least wide

# ---- Intervals for a binomial rate: s of n reports -----------------------------------------------------------------

at_least <- function(s, n, rate) if (s <= 0) 1 else if (s > n) 0 else pbeta(rate, s, n - s + 1)
at_most <- function(s, n, rate) if (s >= n) 1 else if (s < 0) 0 else pbeta(rate, s + 1, n - s, lower.tail = FALSE)

root <- function(f, low, high) {
  if (f(low) >= 0) return(low)
  if (f(high) <= 0) return(high)
  uniroot(f, c(low, high), tol = 1e-17, maxiter = 10000)$root
}

# Exact (Feldman & Cousins 1998): the rates from `lowest` to `highest` at which the counts that speak as strongly as s
# against the rate, or more, have a probability above 1 - level; how strongly is the likelihood ratio of the best rate
# within the two to that rate. Above the best rate of s they are those up to s and those from another count on; both
# speak equally against one rate, tie(other). The limit is the last tie at which that probability is above 1 - level, or
# the crossing behind it.
ordered_upper <- function(s, n, alpha, lowest, highest) {
  if (s >= n * highest) return(highest)
  tie <- ties(s, n, lowest, highest)
  tails <- function(other, rate) at_most(s, n, rate) + at_least(other, n, rate)
  last <- last_that(function(other) tails(other, tie(other)) > alpha, max(s + 1, ceiling(n * lowest)), n + 2)
  start <- tie(last)
  if (last > n || tails(last + 1, start) <= alpha) return(start)
  root(function(rate) alpha - tails(last + 1, rate), start, tie(last + 1))
}

ties <- function(s, n, lowest, highest) {
  times <- function(count, value) if (count == 0) 0 else count * value
  best <- function(count) {
    rate <- min(max(count / n, lowest), highest)
    times(count, log(rate)) + times(n - count, log1p(-rate))
  }
  observed <- best(s)
  function(other) if (other > n) highest else plogis((best(other) - observed) / (other - s))
}

# The last whole number that is so, where `low` is and `beyond` is not.
last_that <- function(is_so, low, beyond) {
  while (beyond - low > 1) {
    middle <- (low + beyond) %/% 2
    if (is_so(middle)) low <- middle else beyond <- middle
  }
  low
}

feldman_cousins <- function(s, n, level, lowest, highest) {
  mirrored <- ordered_upper(n - s, n, 1 - level, 1 - highest, 1 - lowest)
  low <- if (mirrored == 1 - lowest) lowest else 1 - mirrored
  c(low, ordered_upper(s, n, 1 - level, lowest, highest))
}

# Exact, of how many of the n who took part hold an answer: of t who do, it has Bin(t, a) + Bin(n - t, b) reports. In the
# same order of counts as the interval for the population, but for the chances, which are of that sum.
most_people <- function(s, n, alpha, lowest, highest) {
  if (s >= n * highest) return(n)
  tie <- ties(s, n, lowest, highest)
  tied <- function(other) floor(n * min(max((tie(other) - lowest) / (highest - lowest), 0), 1) + 1e-6)
  likely <- function(other, people) 1 - between(s + 1, other - 1, people, n, highest, lowest) > alpha
  last <- last_that(function(other) likely(other, tied(other)), max(s + 1, ceiling(n * lowest)), n + 2)
  start <- tied(last)
  most <- last_that(function(people) likely(last + 1, people), start, max(tied(last + 1), start + 1))
  if (highest == 1) min(most, s) else most  # whoever is sure to report it did
}

# The chance of `low` to `high` reports of Bin(people, a) + Bin(n - people, b): their convolution, but for what has less
# than 1e-16.
between <- function(low, high, people, n, a, b) {
  width <- 27 + 9 * sqrt(people * a * (1 - a))
  mine <- max(0, floor(people * a - width)):min(people, ceiling(people * a + width))
  others <- pbinom(high - mine, n - people, b) - pbinom(low - 1 - mine, n - people, b)
  if (high < low) 0 else sum(dbinom(mine, people, a) * others)
}

took_part <- function(s, n, level, a, b) {
  lowest <- min(a, b)
  highest <- max(a, b)
  fewest <- n - most_people(n - s, n, 1 - level, 1 - highest, 1 - lowest)
  most <- most_people(s, n, 1 - level, lowest, highest)
  (if (a > b) c(fewest, most) else n - c(most, fewest)) / n
}

# Tails of (1 - level) / 2 on each side (Clopper & Pearson 1934).
clopper_pearson <- function(s, n, level, ...) {
  tail <- (1 - level) / 2
  c(if (s == 0) 0 else qbeta(tail, s, n - s + 1), if (s == n) 1 else qbeta(tail, s + 1, n - s, lower.tail = FALSE))
}

# All rates whose beta-binomial mixture martingale is below 1 / (1 - level): they hold at every look (Robbins 1970).
mixture <- function(s, n, level, ...) {
  most <- lbeta(s + 0.5, n - s + 0.5) - lbeta(0.5, 0.5) + log(1 - level)
  times <- function(count, value) if (count == 0) 0 else count * value
  kept <- function(rate) most <= times(s, log(rate)) + times(n - s, log1p(-rate))
  sapply(c(0, 1), function(outside) {
    inside <- if (n > 0) s / n else 0.5
    for (i in 1:64) {
      middle <- (outside + inside) / 2
      if (kept(middle)) inside <- middle else outside <- middle
    }
    outside
  })
}

# Standard errors that hold at every look, by the normal mixture (Robbins 1970; Waudby-Smith et al. 2024).
errors_at_every_look <- function(n, level) {
  alpha <- 1 - level
  scaled <- n * (1 - 2 * log(alpha) + log(1 - 2 * log(alpha))) / TIGHTEST_AT
  sqrt(2 * (scaled + 1) / scaled * log(sqrt(scaled + 1) / alpha))
}

normal_quantile <- function(level) -qnorm((1 - level) / 2)

# ---- Tables --------------------------------------------------------------------------------------------------------

# The chances b of each report for all who do not hold its answer, where that is one chance (yes/no, k-ary); else NULL.
background <- function(weights) {
  if (nrow(weights) != ncol(weights)) return(NULL)
  others <- weights
  diag(others) <- -1
  b <- apply(others, 2, max)
  off <- row(weights) != col(weights)
  if (any((weights - rep(b, each = nrow(weights)))[off] != 0) || weights[1, 1] == b[1]) NULL else b
}

# B with B t(P) = identity: (D I - b 1') / gain with one background, else the inverse (van den Hout & van der
# Heijden 2002).
left_inverse <- function(weights) {
  b <- background(weights)
  if (is.null(b)) return(t(solve(weights / sum(weights[1, ]), tol = 0)))
  (sum(weights[1, ]) * diag(nrow(weights)) - b) / (weights[1, 1] - b[1])
}

# Whether rows are linearly independent: elimination of the integers modulo a prime; a full rank there is a proof.
independent <- function(weights, prime = 67108859) {
  if (nrow(weights) > ncol(weights)) return(FALSE)
  table <- weights %% prime
  for (found in seq_len(nrow(table))) {
    place <- which(table[found:nrow(table), , drop = FALSE] != 0, arr.ind = TRUE)
    if (!length(place)) return(FALSE)
    i <- found - 1 + place[1, 1]
    j <- place[1, 2]
    table[c(found, i), ] <- table[c(i, found), ]
    head <- (table[found, ] * inverse_modulo(table[found, j], prime)) %% prime
    table[found, ] <- 0
    for (other in seq_len(nrow(table))) table[other, ] <- (table[other, ] - table[other, j] * head %% prime) %% prime
  }
  TRUE
}

inverse_modulo <- function(value, prime) {  # Fermat: value^(prime - 2)
  power <- prime - 2
  result <- 1
  while (power > 0) {
    if (power %% 2 == 1) result <- (result * value) %% prime
    value <- (value * value) %% prime
    power <- power %/% 2
  }
  result
}

# ---- Maximum likelihood: shares that are never negative and sum to 1 -----------------------------------------------

most_likely <- function(counts, weights) {
  P <- weights / sum(weights[1, ])
  b <- background(weights)
  if (nrow(P) == ncol(P)) {
    unbiased <- drop(left_inverse(weights) %*% (counts / sum(counts)))
    if (min(unbiased) >= 0) return(unbiased / sum(unbiased))
  }
  if (is.null(b)) return(on_simplex(counts / sum(counts), P))
  # Water-filling: the rates are the counts over one level, kept to what the table sends without the answer.
  floor <- b / sum(weights[1, ])
  gain <- weights[1, 1] - b[1]
  rates <- if (gain > 0) fill_up(counts, floor) else fill_down(counts, floor)
  excess <- pmax((rates - floor) * sign(gain), 0)
  excess / sum(excess)
}

fill_up <- function(counts, floor) {
  ratio <- ifelse(floor > 0, counts / floor, ifelse(counts > 0, Inf, 0))
  by <- order(-ratio)
  level <- cumsum(counts[by]) / (1 - sum(floor) + cumsum(floor[by]))
  pmax(floor, counts / level[max(which(ratio[by] > level))])
}

fill_down <- function(counts, ceiling) {
  seen <- counts > 0
  left <- 1 - sum(ceiling[seen])
  if (left >= 0) {
    unseen <- sum(ceiling[!seen])
    return(ifelse(seen, ceiling, ceiling * (if (unseen > 0) left / unseen else 0)))
  }
  by <- order(counts / ceiling)
  room <- 1 - sum(ceiling) + cumsum(ceiling[by])
  level <- ifelse(room > 0, cumsum(counts[by]) / room, 0)
  pmin(ceiling, counts / level[max(which((counts / ceiling)[by] < level))])
}

# For any table: maximise sum of shares * log(t(P) theta) + tilt * theta. First by Newton steps on a barrier (Koenker &
# Mizera 2014), until max(gradient) - gradient * theta, which bounds what is missing, is small; then to the last digits.
on_simplex <- function(shares, P, tilt = rep(0, nrow(P))) {
  seen <- shares > 0
  P <- P[, seen, drop = FALSE]
  shares <- shares[seen]
  k <- nrow(P)
  theta <- rep(1 / k, k)
  slack <- rep(1, k)
  multiplier <- 1
  gap <- Inf
  for (i in 1:200) {
    rates <- drop(t(P) %*% theta)
    gradient <- drop(P %*% (shares / rates)) + tilt
    gap <- max(gradient) - sum(gradient * theta)
    if (gap <= 1e-13 * (1 + max(abs(tilt)))) break
    barrier <- 0.1 * sum(theta * slack) / k
    hessian <- P %*% (t(P) * (shares / rates^2)) + diag(slack / theta, k)
    step <- bordered(hessian, gradient - multiplier + barrier / theta, 1 - sum(theta))
    slack_step <- barrier / theta - slack - slack / theta * step$v
    length <- feasible(theta, step$v)
    theta <- theta + length * step$v
    multiplier <- multiplier + length * step$w
    slack <- slack + feasible(slack, slack_step) * slack_step
  }
  finished <- to_the_last_digits(theta / sum(theta), theta > sum(gradient * theta) - gradient, shares, P, tilt)
  if (!is.null(finished)) {
    gradient <- drop(P %*% (shares / drop(t(P) %*% finished))) + tilt
    if (max(gradient) - sum(gradient * finished) <= 1e-13 * (1 + max(abs(tilt)))) return(finished)
  }
  theta / sum(theta)
}

# Newton steps on the answers that are not 0; one that would become negative is set to 0, and of those that are 0 the
# one with the largest gradient above the multiplier is freed, each once. NULL where that does not settle.
to_the_last_digits <- function(theta, free, shares, P, tilt) {
  theta[!free] <- 0
  theta <- theta / sum(theta)
  freed <- rep(FALSE, length(theta))
  shortest <- Inf
  for (i in 1:(2 * length(theta) + 20)) {
    rates <- drop(t(P) %*% theta)
    if (min(rates) <= 0) return(NULL)
    gradient <- drop(P %*% (shares / rates)) + tilt
    inner <- P[free, , drop = FALSE]
    step <- tryCatch(bordered(inner %*% (t(inner) * (shares / rates^2)), gradient[free], 0), error = function(e) NULL)
    if (is.null(step) || !all(is.finite(step$v))) return(NULL)
    further <- theta[free] + step$v
    if (min(further) < 0) {
      lengths <- ifelse(further < 0, theta[free] / -step$v, Inf)
      theta[free] <- theta[free] + min(lengths) * step$v
      blocking <- which(free)[which.min(lengths)]
      theta[blocking] <- 0
      free[blocking] <- FALSE
      shortest <- Inf
      next
    }
    theta[free] <- further
    size <- max(abs(step$v))
    if (size > 1e-14 && size < shortest / 2) {
      shortest <- size
      next
    }
    missed <- ifelse(free | freed, -Inf, gradient - step$w)
    if (max(missed) <= 1e-14 * (1 + abs(step$w))) return(theta / sum(theta))
    free[which.max(missed)] <- freed[which.max(missed)] <- TRUE
    shortest <- Inf
  }
  NULL
}

# Solve square v + w = right, with the same w in every row, and sum(v) = last.
bordered <- function(square, right, last) {
  solved <- solve(rbind(cbind(square, 1), c(rep(1, length(right)), 0)), c(right, last), tol = 0)
  list(v = head(solved, -1), w = tail(solved, 1))
}

feasible <- function(value, step) {
  shrinking <- step < 0
  if (any(shrinking)) min(1, 0.995 * min(value[shrinking] / -step[shrinking])) else 1
}

# Profile likelihood (Wilks 1938): all shares of answer x with 2 (log L at the maximum - log L) <= the quantile of
# chi-squared.
# The profile lies along the maxima of log L + kappa theta[x].
profile_limits <- function(counts, weights, level) {
  P <- weights / sum(weights[1, ])
  log_likelihood <- function(theta) {
    rates <- drop(t(P) %*% theta)[counts > 0]
    if (all(rates > 0)) sum(counts[counts > 0] * log(rates)) else -1e300
  }
  best <- most_likely(counts, weights)
  floor <- log_likelihood(best) - qchisq(level, 1) / 2
  shares <- counts / sum(counts)
  k <- nrow(P)
  sapply(seq_len(k), function(x) sapply(c(-1, 1), function(sign) {
    if (log_likelihood(at_border(x, sign > 0, shares, P)) >= floor) return(as.numeric(sign > 0))
    tilted <- function(log_kappa) on_simplex(shares, P, sign * exp(log_kappa) * (seq_len(k) == x))
    above <- function(log_kappa) log_likelihood(tilted(log_kappa)) - floor
    upper <- -12
    while (above(upper) > 0 && upper < 12) upper <- upper + 3
    if (upper > -12 && above(upper) < 0) upper <- uniroot(above, c(upper - 3, upper), tol = 1e-13, maxiter = 1000)$root
    if (sign > 0) max(tilted(upper)[x], best[x]) else min(tilted(upper)[x], best[x])
  }))
}

# The most likely shares where that of x is 1, or 0.
at_border <- function(x, one, shares, P) {
  theta <- rep(0, nrow(P))
  if (one) theta[x] <- 1
  else if (all(apply(P[-x, shares > 0, drop = FALSE], 2, max) > 0)) {
    theta[-x] <- on_simplex(shares, P[-x, , drop = FALSE])
  }
  else theta[-x] <- 1 / (nrow(P) - 1)
  theta
}

# The nearest shares that are not negative and sum to 1 (Held, Wolfe & Crowder 1974).
nearest_on_simplex <- function(point) {
  down <- sort(point, decreasing = TRUE)
  surplus <- (cumsum(down) - 1) / seq_along(down)
  pmax(point - surplus[max(which(down > surplus))], 0)
}
