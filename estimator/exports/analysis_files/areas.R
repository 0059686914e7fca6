# The numbers of small areas, for analysis.R.
#
# Each area has an intercept of its own, drawn from a normal distribution with standard deviation sigma; a report has the
# chances that its table of tickets makes of the logistic share (Fox 2005). The intercept of an area is integrated out with
# Gauss-Hermite nodes about its mode (Liu & Pierce 1994). The posterior is one of normal distributions given sigma, on a
# grid of sigmas (Rue, Martino & Chopin 2009), with priors that hardly say anything: normal with standard deviation 5 for
# the coefficients of standardised columns, Student's t with 3 degrees of freedom and scale 2.5, cut at 0, for sigma
# (Gelman 2006). Shares of areas are those of the census, cell by cell (Gelman & Little 1997).
#
# The shares in analysis.csv are summaries of 10,000 random draws from the posterior, those here of 20,000 others. So they
# are compared to five standard errors of both sets of draws: 1 number in 2 million differs by more, by chance alone.

DRAWS <- 20000
TOLD_DRAWS <- 10000
WIDE <- 5  # the prior standard deviation of coefficients

responses <- read("responses.csv")
census <- read("census.csv")
channel <- chances("channel.csv")
key <- names(responses)[1]
predictors <- setdiff(names(responses)[-1], c("Report", "Count"))
indicators <- function(table) {  # of the answers to each predictor but the first
  found <- lapply(predictors, function(name) outer(table[[name]], sort(unique(responses[[name]]))[-1], `==`))
  do.call(cbind, c(list(rep(1, nrow(table))), found))
}
areas <- sort(unique(responses[[key]]))
group <- match(responses[[key]], areas)
mass <- responses$Count
columns <- indicators(responses)
standard <- solve(chol(crossprod(columns * sqrt(mass)) / sum(mass)))  # makes the columns orthogonal, of mean square 1
x <- columns %*% standard
p <- ncol(x)
under_no <- channel[1, responses$Report + 1]
under_yes <- channel[2, responses$Report + 1]
by_area <- function(values) drop(rowsum(mass * values, group, reorder = TRUE))

# Of each row the log likelihood, its slope and minus its curvature by the linear predictor.
rows_at <- function(eta) {
  yes <- plogis(eta)
  likelihood <- under_no * (1 - yes) + under_yes * yes
  worth <- (under_yes - under_no) / likelihood
  slope <- worth * yes * (1 - yes)
  list(log = log(likelihood), slope = slope, curvature = slope^2 - slope * (1 - 2 * yes))
}

nodes <- local({  # of the rule with 21 points for the weight exp(-z^2) (Golub & Welsch 1969)
  off <- sqrt(seq_len(20) / 2)
  found <- eigen(rbind(cbind(0, diag(off)), 0) + rbind(0, cbind(diag(off), 0)), symmetric = TRUE)
  list(at = found$values, weight = sqrt(pi) * found$vectors[1, ]^2)
})

# The log likelihood at coefficients and sigma, its slopes by both, mean and variance of each area's standard intercept.
marginal <- function(b, sigma) {
  line <- drop(x %*% b)
  mode <- rep(0, length(areas))
  for (step in 1:100) {
    at <- rows_at(line + sigma * mode[group])
    curvature <- pmax(1 + sigma^2 * by_area(at$curvature), 0.2)
    by <- pmin(pmax((sigma * by_area(at$slope) - mode) / curvature, -1.5), 1.5)
    mode <- mode + by
    if (max(abs(by)) < 1e-9) break
  }
  width <- sqrt(2 / curvature)
  places <- mode + outer(width, nodes$at)  # areas x nodes
  found <- lapply(seq_along(nodes$at), function(k) rows_at(line + sigma * places[group, k]))
  heights <- vapply(found, function(one) by_area(one$log), numeric(length(areas))) - places^2 / 2
  heights <- sweep(heights, 2, log(nodes$weight) + nodes$at^2, `+`)
  top <- apply(heights, 1, max)
  total <- top + log(rowSums(exp(heights - top)))
  share <- exp(heights - total)
  means <- rowSums(share * places)
  slopes <- share[group, ] * vapply(found, function(one) one$slope, numeric(nrow(x)))
  list(
    log = sum(total + log(width)) - length(areas) * log(2 * pi) / 2,
    slopes = c(drop(crossprod(x, mass * rowSums(slopes))), sum(mass * rowSums(slopes * places[group, ]))),
    means = means, variances = rowSums(share * (places - means)^2)
  )
}

# Where the posterior given sigma is highest, its weight, and its normal parts: of coefficients and of intercepts, whose
# means move with the coefficients.
given_sigma <- function(sigma, start) {
  fit <- optim(
    start, function(b) marginal(b, sigma)$log - sum(b^2) / 2 / WIDE^2,
    function(b) marginal(b, sigma)$slopes[1:p] - b / WIDE^2,
    method = "BFGS", control = list(fnscale = -1, maxit = 500, reltol = 1e-13)
  )
  step <- 1e-4
  ends <- lapply(seq_len(p), function(j) lapply(c(-1, 1), function(side)
    marginal(replace(fit$par, j, fit$par[j] + side * step), sigma)))
  change <- function(of) matrix(unlist(lapply(ends, function(two) (of(two[[2]]) - of(two[[1]])) / 2 / step)), ncol = p)
  information <- -change(function(one) one$slopes[1:p]) + diag(p) / WIDE^2
  information <- eigen((information + t(information)) / 2, symmetric = TRUE)
  values <- pmax(information$values, 1 / WIDE^2)
  best <- marginal(fit$par, sigma)
  list(
    sigma = sigma, b = fit$par, root = information$vectors %*% diag(1 / sqrt(values), p),
    log_weight = fit$value - sum(log(values)) / 2 - 2 * log1p((sigma / 2.5)^2 / 3),
    means = sigma * best$means, deviations = sigma * sqrt(best$variances),
    moves = sigma * change(function(one) one$means)
  )
}

# Sigmas from 0 to where they are e^-6 times as likely as at best.
climbs <- lapply(c(0.3, 1, 3), function(sigma) optim(
  c(rep(0, p), sigma), function(at) marginal(at[1:p], at[p + 1])$log, function(at) marginal(at[1:p], at[p + 1])$slopes,
  method = "BFGS", control = list(fnscale = -1, maxit = 500, reltol = 1e-13)
))
heights <- vapply(climbs, function(one) one$value, 0)
ended <- vapply(climbs, function(one) max(abs(one$par[1:p])) < 15, TRUE)  # with finite coefficients
near <- ended & heights > max(heights) - 0.5
best <- climbs[[which.max(if (any(near)) ifelse(near, heights, -Inf) else heights)]]$par
sigma <- abs(best[p + 1])
top <- max(1.5 * sigma, 0.3)
highest <- given_sigma(max(sigma, 1e-3), best[1:p])$log_weight
while (top < 10 && given_sigma(top, best[1:p])$log_weight > highest - 6) top <- 1.4 * top
grid <- seq(top / 30, top, length.out = 15)
slices <- list()
for (each in grid) slices <- c(slices, list(given_sigma(each, if (length(slices)) slices[[length(slices)]]$b else best[1:p])))

# The shares of the areas of the census, and of all together, in each draw.
set.seed(1)
weights <- vapply(slices, function(one) one$log_weight, 0)
sizes <- drop(rmultinom(1, DRAWS, exp(weights - max(weights))))
labels <- sort(unique(census[[key]]))
cells <- indicators(census) %*% standard
drawn <- lapply(which(sizes > 0), function(k) {
  one <- slices[[k]]
  n <- sizes[k]
  normal <- function(columns) matrix(rnorm(n * columns), n)
  shifts <- normal(p) %*% t(one$root)
  intercepts <- sweep(shifts %*% t(one$moves), 2, one$means, `+`) + sweep(normal(length(areas)), 2, one$deviations, `*`)
  unknown <- setdiff(labels, areas)  # an area without responses has a new intercept
  spread <- one$sigma + diff(grid)[1] * (runif(n) - 0.5)
  intercepts <- cbind(intercepts, normal(length(unknown)) * spread)
  of <- match(census[[key]], c(areas, unknown))
  shares <- plogis(sweep(shifts, 2, one$b, `+`) %*% t(cells) + intercepts[, of, drop = FALSE])
  inside <- cbind(outer(census[[key]], labels, `==`), TRUE) * census$People
  shares %*% sweep(inside, 2, colSums(inside), `/`)
})
drawn <- do.call(rbind, drawn)

ends <- c(1 - confidence, 1 + confidence) / 2
apart <- 5 * sqrt(1 / TOLD_DRAWS + 1 / DRAWS)
for (k in seq_len(ncol(drawn))) {
  error <- sd(drawn[, k])
  limits <- quantile(drawn[, k], ends)
  slope <- sqrt(ends[1] * ends[2]) / dnorm(qnorm(ends[1]))  # of a quantile, by its normal density
  chance <- apart * error * c(estimate = 1, standard_error = sqrt(1 / 2), low = slope, high = slope)
  label <- if (k > length(labels)) "" else paste0(key, "=", labels[k])
  compare(list(quantity = "share", group = label), numbers(mean(drawn[, k]), error, limits[1], limits[2]), chance)
}
