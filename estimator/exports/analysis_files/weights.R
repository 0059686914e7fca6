# Weights that meet known shares, and what they do to variances, for analysis.R.
#
# Weights w = d F(x lambda) are the nearest to d, the numbers of responses, under which each column x of margins.csv has its
# known mean: F is exp ("raking"), 1 + u ("linear") or a logistic curve ("logit"), within the bounds (Deville & Saerndal
# 1992). Covariances are linearised: those of the residuals that the columns leave, person by person.

sizes <- read("sizes.csv")[[1]]  # the number of responses of each row of counts
filled <- which(sizes > 0)
sizes <- sizes[filled]
columns <- cbind(1, sweep(as.matrix(read("margins.csv"))[filled, , drop = FALSE], 2, read("means.csv", header = FALSE)[[2]]))
start <- sizes / sum(sizes)
method <- setting("method")
largest <- as.numeric(setting("largest"))
bounds <- if (is.na(largest)) c(if (method == "raking") 0 else -Inf, Inf) else c(1 / largest, largest)

steepness <- diff(bounds) / ((1 - bounds[1]) * (bounds[2] - 1))
logistic <- function(u) plogis(steepness * u + log((1 - bounds[1]) / (bounds[2] - 1)))
ratios <- function(u) switch(method,
  linear = pmin(pmax(1 + u, bounds[1]), bounds[2]), raking = pmin(pmax(exp(u), bounds[1]), bounds[2]),
  logit = bounds[1] + diff(bounds) * logistic(u)
)
slopes <- function(u) {
  if (method == "logit") return(diff(bounds) * steepness * logistic(u) * (1 - logistic(u)))
  found <- ratios(u)
  ifelse(found > bounds[1] & found < bounds[2], if (method == "linear") 1 else found, 0)
}
# Coefficients of dependent columns are 0.
solved <- function(square, right) {
  found <- qr.coef(qr(square, tol = 1e-10), right)
  ifelse(is.na(found), 0, found)
}
weigh <- function() {
  targets <- c(1, rep(0, ncol(columns) - 1))
  gap_at <- function(lambda) drop(targets - t(columns) %*% (start * ratios(drop(columns %*% lambda))))
  lambda <- rep(0, ncol(columns))
  for (step in 1:200) {
    gap <- gap_at(lambda)
    if (max(abs(gap)) < 1e-13) break
    further <- solved(t(columns) %*% (columns * start * slopes(drop(columns %*% lambda))), gap)
    length <- 1
    while (sum(gap_at(lambda + length * further)^2) > sum(gap^2) && length > 1e-6) length <- length / 2
    lambda <- lambda + length * further
  }
  start * ratios(drop(columns %*% lambda))
}
weights <- weigh()

# What the columns of the margins leave of a matrix with a line for each row.
residuals_of <- function(values)
  values - columns %*% apply(values, 2, function(one) solved(t(columns) %*% (columns * start), t(columns) %*% (start * one)))

share_of <- function(inside) weights * inside / sum(weights * inside)

# The covariance of the weighted means of `values`, a line for each row, in two parts of the rows; `scatter` are the sums of
# squares around the values of the people of each row, of dimension rows x k x k.
linearised <- function(values, scatter, inside, other = inside) {
  left <- lapply(list(inside, other), function(part) {
    held <- part / sum(weights * part)
    theta <- colSums(weights * held * values)
    residuals_of(sweep(values, 2, theta) * held)
  })
  held <- inside / sum(weights * inside) * (other / sum(weights * other))
  each <- weights / sizes
  n <- sum(sizes)
  k <- ncol(values)
  within <- matrix(colSums(matrix(each^2 * held * scatter, length(each))), k, k)
  between <- t(left[[1]] * sizes * each^2) %*% left[[2]]
  means <- lapply(left, function(one) colSums(sizes * each * one) / n)
  (within + between - n * outer(means[[1]], means[[2]])) * n / (n - 1)
}
