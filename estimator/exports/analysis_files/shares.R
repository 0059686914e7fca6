# The numbers of a comparison of groups or of versions, or of a weighting, for analysis.R.
#
# Shares and means of groups are those of the report (formulas.R and estimates.R). A difference of shares recovers the
# variances from the limits of both groups (Newcombe 1998; Zou 2007); several hold together by the studentized range of
# every pair (Tukey 1953; Hayter 1984), by the distribution of comparisons with one group (Dunnett 1955), or of weighted
# groups, which are not independent, by Sidak's inequality (1967). Weighted shares have Wilson's score interval at the
# number of responses that their standard error amounts to (Kott & Carr 1997), a normal one where a table has no binomial.

source("formulas.R")
source("estimates.R")

TO_WEIGHT <- 30  # with fewer responses nothing is weighted

counted <- read("counts.csv")
item <- list(
  kind = setting("question"), mechanism = setting("mechanism"), encoding = setting("encoding"),
  k = as.numeric(setting("answers")), size = as.numeric(setting("size")),
  weights = unname(as.matrix(read("channel.csv", header = FALSE))),
  values = if (is_there("values.csv")) read("values.csv", header = FALSE)[[1]]
)
rows <- as.numeric(setting("rows"))
counts <- array(0, c(rows, max(counted$symbol) + 1, max(counted$value) + 1))
counts[cbind(counted$row, counted$symbol, counted$value) + 1] <- counted$count
summed <- function(of) array(apply(counts[of, , , drop = FALSE], c(2, 3), sum), dim(counts)[-1])
is_number <- item$kind == "number"

# ---- What is told of a question: of a choice, or the mean where there is none -----------------------------------------

numbers_of <- function(found, choice) {
  part <- if (is.na(choice)) found$mean else found$shares
  if (is.null(part) || is.na(choice) && is.nan(part$unbiased)) return(NULL)
  at <- if (is.na(choice)) 1 else choice + 1
  list(estimate = part$constrained[[at]], estimate_unclipped = part$unbiased[[at]], standard_error = part$error[[at]],
       low = part$low[[at]], high = part$high[[at]])
}
tells_shares <- !is_number && (item$kind != "scale" || item$mechanism != "discrete_laplace")
quantities <- c(if (length(item$values)) NA, if (tells_shares) seq_len(item$k) - 1)
place_of <- function(choice, weighted, group = "", against = "") list(
  quantity = if (against != "") "difference" else if (is.na(choice)) "mean" else "share",
  choice = if (is.na(choice)) "" else as.character(choice), group = group, against = against,
  weights = if (weighted) "entered" else ""
)

# ---- Weighted by margins ----------------------------------------------------------------------------------------------

chances_of_answers <- function() {  # of the report of each answer without and with it; NULL without a binomial
  if (item$encoding != "single") {
    chances <- chances_of_one(item)
    return(list(miss = rep(chances[2], item$k), hit = rep(chances[1], item$k)))
  }
  b <- background(item$weights)
  if (!is.null(b)) list(miss = b / sum(item$weights[1, ]), hit = diag(item$weights) / sum(item$weights[1, ]))
}

weighted_limits <- function(theta, constrained, error, level) {
  quantile <- qt((1 + level) / 2, sum(sizes) - 1)
  ends <- chances_of_answers()
  if (is.null(ends)) return(around(constrained, theta - quantile * error, theta + quantile * error))
  rates <- pmin(pmax(ends$miss + (ends$hit - ends$miss) * theta, 0), 1)
  share <- quantile^2 * (error * (ends$hit - ends$miss))^2 / (rates * (1 - rates))
  centre <- (rates + share / 2) / (1 + share)
  reach <- sqrt(share * rates * (1 - rates) + share^2 / 4) / (1 + share)
  limits <- apply((cbind(centre - reach, centre + reach) - ends$miss) / (ends$hit - ends$miss), 1, sort)
  around(constrained, limits[1, ], limits[2, ])
}

# The estimate of each row, and the sums of squares around it.
by_row <- function() {
  cells <- lapply(filled, function(row) summed(row))
  parts <- lapply(cells, function(one) {
    n <- sum(one[1, ])
    if (is_number) {
      scores <- scores_of(item$weights, item$values)
      at <- sum(scores * one[1, ]) / n
      return(list(at = at, scatter = matrix(sum(one[1, ] * (scores - at)^2))))
    }
    if (item$encoding == "single") {
      B <- left_inverse(item$weights)
      at <- drop(B %*% (one[1, ] / n))
      return(list(at = at, scatter = n * (B %*% (one[1, ] / n * t(B)) - outer(at, at))))
    }
    rates <- one[, 2] / n
    chance <- chances_of_one(item)
    slope <- chance[1] - chance[2]
    list(at = (rates - chance[2]) / slope, scatter = diag(n * rates * (1 - rates) / slope^2, length(rates)))
  })
  k <- length(parts[[1]]$at)
  scatter <- array(t(sapply(parts, function(one) as.vector(one$scatter))), c(length(parts), k, k))
  list(values = matrix(t(sapply(parts, `[[`, "at")), length(parts), k), scatter = scatter)
}

rates_of <- function(theta) {
  rates <- pmax(drop(t(item$weights / sum(item$weights[1, ])) %*% theta), 0)
  rates / sum(rates)
}

weighted_fit <- function(of, level) {
  inside <- as.numeric(filled %in% of)
  if (sum(sizes * inside) < TO_WEIGHT) return(NULL)
  theta <- drop(share_of(inside) %*% cells$values)
  covariance <- linearised(cells$values, cells$scatter, inside)
  error <- sqrt(pmax(diag(covariance), 0))
  if (is_number) {
    ends <- range(item$values)
    return(list(mean = mean_of(theta, min(max(theta, ends[1]), ends[2]), error, 0, ends, 0, level, "wald", NaN)))
  }
  constrained <- if (item$encoding == "each_option") pmin(pmax(theta, 0), 1)
    else if (item$encoding != "single") nearest_on_simplex(theta)
    else most_likely(rates_of(theta), item$weights)
  limits <- weighted_limits(theta, constrained, error, level)
  shares <- list(unbiased = theta, constrained = constrained, covariance = covariance, noise = 0 * covariance, error = error,
                 low = limits$low, high = limits$high, n = 0)
  list(shares = shares, mean = if (length(item$values)) mean_of_shares(shares, item$values, level))
}

by_margins <- is_there("margins.csv")
if (by_margins) { source("weights.R"); cells <- by_row() }
fit_in <- function(of, level) if (by_margins) weighted_fit(of, level) else fit(item, summed(of), level)

# ---- Differences ------------------------------------------------------------------------------------------------------

level_of_each <- function(errors, reference, count) {
  if (by_margins) return(confidence^(1 / count))
  k <- length(errors)
  if (k == 2) return(confidence)
  two_sided <- function(critical) 1 - 2 * pnorm(-critical)
  if (is.na(reference)) return(two_sided(qtukey(confidence, k, Inf) / sqrt(2)))
  errors <- if (max(errors) > 0) pmax(errors, 1e-6 * max(errors)) else rep(1, k)
  others <- errors[-reference]
  hold <- function(critical) integrate(function(z) sapply(z, function(one) {
    centre <- errors[reference] * one
    reach <- critical * sqrt(errors[reference]^2 + others^2)
    dnorm(one) * prod(pnorm((centre + reach) / others) - pnorm((centre - reach) / others))
  }), -9, 9, rel.tol = 1e-10, subdivisions = 2000)$value
  ends <- qnorm(c((1 + confidence) / 2, 1 - (1 - confidence) / 2 / (k - 1))) + c(-1e-6, 1e-6)
  max(confidence, two_sided(uniroot(function(critical) hold(critical) - confidence, ends, tol = 1e-12)$root))
}

# Of two groups or versions whose estimates have a covariance, `shared`.
difference <- function(new, old, choice, level, shared = 0) {
  one <- numbers_of(new, choice)
  other <- numbers_of(old, choice)
  error <- error_of(one, other, shared)
  estimate <- one$estimate - other$estimate
  unbiased <- one$estimate_unclipped - other$estimate_unclipped
  if (is.na(choice)) {
    widest <- diff(new$mean$ends)
    reach <- normal_quantile(level) * error
    low <- max(min(unbiased - reach, estimate), -widest)
    high <- min(max(unbiased + reach, estimate), widest)
  } else {
    together <- one$standard_error * other$standard_error
    correlation <- if (together > 0) min(max(shared / together, -1), 1) else 0
    recovered <- function(a, b) sqrt(max(a^2 + b^2 - 2 * correlation * a * b, 0))
    low <- max(estimate - recovered(one$estimate - one$low, other$high - other$estimate), -1)
    high <- min(estimate + recovered(one$high - one$estimate, other$estimate - other$low), 1)
  }
  list(estimate = estimate, estimate_unclipped = unbiased, standard_error = error, low = low, high = high)
}

error_of <- function(one, other, shared) sqrt(max(one$standard_error^2 + other$standard_error^2 - 2 * shared, 0))

# The covariance of the weighted shares of a choice, or means, of two groups of rows.
shared_by <- function(new, old, choice, parts) {
  inside <- lapply(parts, function(part) as.numeric(filled %in% part))
  matrix <- linearised(cells$values, cells$scatter, inside[[1]], inside[[2]])
  if (!is.na(choice)) return(matrix[choice + 1, choice + 1])
  if (is_number) return(matrix[1, 1])
  valued <- !is.na(item$values)
  slopes <- lapply(list(new, old), function(one) {
    held <- sum(one$shares$unbiased[valued])
    ifelse(valued, item$values - sum(one$shares$unbiased[valued] * item$values[valued]) / held, 0) / held
  })
  drop(slopes[[1]] %*% matrix %*% slopes[[2]])
}

compare_groups <- function() {
  told_of <- read("groups.csv")
  groups <- split(told_of$row + 1, factor(told_of$group, unique(told_of$group)))
  choice <- as.numeric(setting("choice"))
  fits <- lapply(groups, fit_in, confidence)
  for (key in names(groups)) compare(place_of(choice, by_margins, key), numbers_of(fits[[key]], choice))
  ready <- names(groups)[sapply(fits, function(found) !is.null(numbers_of(found, choice)))]
  reference <- match(setting("reference"), ready)
  if (length(ready) < 2 || setting("reference") != "" && is.na(reference)) return(invisible())
  pairs <- if (is.na(reference)) combn(ready, 2, simplify = FALSE)
           else lapply(ready[-reference], function(key) c(ready[reference], key))
  errors <- sapply(fits[ready], function(found) numbers_of(found, choice)$standard_error)
  level <- level_of_each(errors, reference, length(pairs))
  fits <- lapply(groups, fit_in, level)
  for (pair in pairs) {
    new <- fits[[pair[2]]]
    old <- fits[[pair[1]]]
    found <- difference(new, old, choice, level, if (by_margins) shared_by(new, old, choice, groups[rev(pair)]) else 0)
    compare(place_of(choice, by_margins, pair[2], pair[1]), found)
  }
}

# ---- Weightings -------------------------------------------------------------------------------------------------------

by_known_shares <- function(W, rows) {
  if (sum(counts[rows, 1, ]) < TO_WEIGHT) return(NULL)
  members <- collapsed(apply(counts[rows, 1, , drop = FALSE], 1, sum), FEWEST)
  fits <- lapply(members, function(of) { each <- summed(rows[of]); fit_of(item, each, sum(each[1, ]), confidence) })
  W <- sapply(members, function(of) sum(W[of]))
  if (is_number) return(list(mean = combined_means(lapply(fits, `[[`, "mean"), W, confidence)))
  shares <- combined_shares(lapply(fits, `[[`, "shares"), W, confidence)
  list(shares = shares, mean = if (length(item$values)) mean_of_shares(shares, item$values, confidence))
}

compare_weighted <- function() {
  groups <- if (is_there("strata.csv")) read("strata.csv", colClasses = c("character", "numeric"))
  whole <- if (by_margins) weighted_fit(seq_len(rows), confidence) else if (!is.null(groups)) by_known_shares(groups$share, seq_len(rows))
  alike <- fit(item, summed(seq_len(rows)), confidence)
  for (choice in quantities) {
    compare(place_of(choice, TRUE), numbers_of(whole, choice))
    compare(place_of(choice, FALSE), numbers_of(alike, choice))
    for (row in seq_len(NROW(groups)))
      compare(place_of(choice, FALSE, groups$group[row]), numbers_of(fit(item, summed(row), confidence), choice))
  }
}

# ---- Versions, whose respondents are different people but for those who were said to have returned -----------------------

compare_versions <- function() {
  source("returned.R")
  overlaps <- read("returned.csv")
  found <- read("versions.csv")
  waves <- split(found, found$version)  # of each its rows of counts, and known shares
  choice <- as.numeric(setting("choice"))
  fits <- lapply(waves, function(wave) {
    if (anyNA(wave$share)) fit(item, summed(wave$row + 1), confidence) else by_known_shares(wave$share, wave$row + 1)
  })
  place <- function(version, against = "") list(
    quantity = if (against != "") "difference" else if (is.na(choice)) "mean" else "share", version = version,
    against_version = against
  )
  for (version in names(fits)) compare(place(version), numbers_of(fits[[version]], choice))
  ready <- names(fits)[sapply(fits, function(found) !is.null(numbers_of(found, choice)))]
  newest <- names(fits)[length(fits)]
  if (length(ready) < 2 || ready[length(ready)] != newest) return(invisible())
  for (older in unique(c(ready[length(ready) - 1], ready[1]))) {
    overlap <- overlaps[overlaps$version == older, ]
    new <- fits[[newest]]
    old <- fits[[older]]
    shared <- if (overlap$returned) covariances(new, old, choice, overlap$returned, overlap$remembered) else c(0, 0)
    narrowest <- error_of(numbers_of(new, choice), numbers_of(old, choice), shared[2])
    found <- difference(new, old, choice, confidence, shared[1])
    compare(place(newest, older), c(found, narrowest_standard_error = narrowest))
  }
}

switch(setting("analysis"), comparison = compare_groups(), versions = compare_versions(), compare_weighted())
