# The numbers of a cross table, for analysis.R.
#
# The two reports of a person went through two tables that are drawn independently, so the chances of pairs are those of
# the answers through the Kronecker product of both (van den Hout & van der Heijden 2002); the answers to a background
# question went through none. Shown are the most likely shares, Wald's intervals of the unbiased ones; shares by row, phi,
# the odds ratio and the correlation (Kwan, So & Tam 2010) by the delta method. Where the most likely table has a cell of
# nought, the limits of phi and of the odds ratio are those of the profile likelihood, which are not computed here.

source("formulas.R")
source("association.R")

STEADY <- 4  # standard errors by which the share of a row must be above 0

counted <- read("pairs.csv")
first <- unname(as.matrix(read("first.csv", header = FALSE)))
second <- unname(as.matrix(read("second.csv", header = FALSE)))
places <- read("places.csv", header = FALSE)[[1]]  # of the answers to the first question
rows <- as.numeric(setting("rows"))
inside <- seq_len(rows) %in% (read("inside.csv", header = FALSE)[[1]] + 1)
pairs <- array(0, c(rows, ncol(first) * ncol(second)))  # reports to the second question change first
pairs[cbind(counted$row + 1, counted$first * ncol(second) + counted$second + 1)] <- counted$count
k <- c(nrow(first), nrow(second))
B <- kronecker(left_inverse(first), left_inverse(second))
P <- kronecker(first / sum(first[1, ]), second / sum(second[1, ]))
n <- sum(pairs[inside, ])
weighted <- is_there("margins.csv")

if (weighted) {
  source("weights.R")
  rates <- pairs[filled, , drop = FALSE] / sizes
  values <- rates %*% t(B)
  scatter <- array(t(sapply(seq_along(sizes), function(row) {
    sizes[row] * as.vector(B %*% (rates[row, ] * t(B)) - outer(values[row, ], values[row, ]))
  })), c(length(sizes), rep(prod(k), 2)))
  held <- as.numeric(inside[filled])
  unbiased <- drop(share_of(held) %*% values)
  covariance <- linearised(values, scatter, held)
  reported <- drop(share_of(held) %*% rates)
} else {
  reported <- colSums(pairs[inside, , drop = FALSE]) / n
  unbiased <- drop(B %*% reported)
  covariance <- (B %*% (reported * t(B)) - outer(unbiased, unbiased)) / (n - 1)
}
shares <- most_likely_shares(unbiased, reported, P)
error <- sqrt(pmax(diag(covariance), 0))
quantile <- normal_quantile(confidence)
at <- function(i, j) (i - 1) * k[2] + j
place <- function(quantity, choice = "", other = "")
  list(quantity = quantity, choice = as.character(choice), other_choice = as.character(other))

for (i in seq_len(k[1])) {
  of_row <- at(i, seq_len(k[2]))
  whole <- sum(shares[of_row])
  spread <- covariance[of_row, of_row, drop = FALSE]
  steady <- whole > 0 && sum(unbiased[of_row]) >= STEADY * sqrt(max(sum(spread), 0))
  for (j in seq_len(k[2])) {
    one <- at(i, j)
    low <- min(max(unbiased[one] - quantile * error[one], 0), 1)
    high <- max(min(unbiased[one] + quantile * error[one], 1), 0)
    found <- numbers(shares[one], error[one], min(low, shares[one]), max(high, shares[one]))
    compare(place("joint_share", places[i], j - 1), c(found, estimate_unclipped = unbiased[one]))
    if (!steady) next
    share <- shares[one] / whole
    slope <- ((seq_len(k[2]) == j) - share) / whole
    by <- sqrt(max(drop(slope %*% spread %*% slope), 0))
    ends <- pmin(pmax(share + c(-1, 1) * quantile * by, 0), 1)
    compare(place("row_share", places[i], j - 1), numbers(share, by, ends[1], ends[2]))
  }
}

if (all(k == 2)) {
  found <- association(shares, covariance, quantile)
  compare(place("phi"), found$phi)
  compare(place("odds_ratio"), found$odds)
}

if (is_there("values.csv")) {
  values_of <- read("values.csv")
  u <- rep(values_of$value[values_of$side == "first"], each = k[2])
  v <- rep(values_of$value[values_of$side == "second"], k[1])
  u <- u - mean(u)
  v <- v - mean(v)
  parts <- rbind(u, v, u * v, u^2, v^2)
  m <- drop(parts %*% unbiased)
  spread <- parts %*% covariance %*% t(parts)
  variances <- m[4:5] - m[1:2]^2
  if (all(variances > 0)) {
    root <- sqrt(prod(variances))
    r <- (m[3] - m[1] * m[2]) / root
    slope <- c(-m[2], -m[1], 1, 0, 0) / root
    slope[1:2] <- slope[1:2] + r * m[1:2] / variances
    slope[4:5] <- slope[4:5] - r / (2 * variances)
    by <- sqrt(max(drop(slope %*% spread %*% slope), 0))
    inside_range <- min(max(r, -1), 1)
    ends <- if (abs(r) < 1) tanh(atanh(r) + c(-1, 1) * quantile * by / (1 - r^2)) else c(-1, 1)
    compare(place("correlation"), numbers(inside_range, by, min(ends[1], inside_range), max(ends[2], inside_range)))
  }
}
