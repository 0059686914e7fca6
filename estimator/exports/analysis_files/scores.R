# The numbers of a count of yes, for analysis.R.
#
# The chances of all reports of a person are those of the answers through the Kronecker product of the tables (Cruyff, van
# den Hout & van der Heijden 2008). A person's contribution to the unbiased shares by number of yes is the product of
# polynomials, one for each question. Every two questions have their phi.

source("formulas.R")
source("association.R")

patterns <- read("patterns.csv")  # a report to each question, and how many people sent them
tables <- lapply(seq_len(ncol(patterns) - 1), function(j) unname(as.matrix(read(paste0("channel-", j, ".csv"), header = FALSE))))
count <- patterns$count
n <- sum(count)
quantile <- normal_quantile(confidence)
place <- function(quantity, choice = "", item = "", other = "", other_choice = "") list(
  quantity = quantity, choice = as.character(choice), item = item, other_item = other,
  other_choice = as.character(other_choice)
)

made <- matrix(1, nrow(patterns), 1)
for (j in seq_along(tables)) {
  part <- t(left_inverse(tables[[j]]))[patterns[[j]] + 1, ]
  made <- cbind(made * part[, 1], 0) + cbind(0, made * part[, 2])
}
unbiased <- colSums(made * count) / n
around_mean <- sweep(made, 2, unbiased)
error <- sqrt(colSums(around_mean^2 * count) / n / (n - 1))

chances <- lapply(tables, function(table) table / sum(table[1, ]))
P <- Reduce(kronecker, chances)
sent <- Reduce(function(before, j) before * ncol(tables[[j]]) + patterns[[j]], seq_along(tables), 0)
reported <- rep(0, ncol(P))
for (row in seq_along(sent)) reported[sent[row] + 1] <- reported[sent[row] + 1] + count[row] / n
joint <- on_simplex(reported, P)
yes <- Reduce(function(before, j) as.vector(outer(0:1, before, `+`)), seq_along(tables), 0)
shares <- sapply(0:length(tables), function(number) sum(joint[yes == number]))
for (number in 0:length(tables)) {
  at <- number + 1
  ends <- pmin(pmax(unbiased[at] + c(-1, 1) * quantile * error[at], 0), 1)
  found <- numbers(shares[at], error[at], min(ends[1], shares[at]), max(ends[2], shares[at]))
  compare(place("share", number), c(found, estimate_unclipped = unbiased[at]))
}

value <- Reduce(`+`, lapply(seq_along(tables), function(j) left_inverse(tables[[j]])[2, patterns[[j]] + 1]))
average <- sum(value * count) / n
by <- sqrt(sum(count * (value - average)^2) / n / (n - 1))
estimate <- min(max(average, 0), length(tables))
low <- min(max(average - quantile * by, 0), estimate)
high <- max(min(average + quantile * by, length(tables)), estimate)
compare(place("mean"), c(numbers(estimate, by, low, high), estimate_unclipped = average))

about <- read("items.csv", colClasses = "character", na.strings = character())  # the key of each question, and the choice
for (i in seq_len(length(tables) - 1)) for (j in (i + 1):length(tables)) {
  both <- kronecker(left_inverse(tables[[i]]), left_inverse(tables[[j]]))
  rates <- as.vector(xtabs(count ~ factor(patterns[[j]], seq_len(ncol(tables[[j]])) - 1) +
                             factor(patterns[[i]], seq_len(ncol(tables[[i]])) - 1))) / n
  theta <- drop(both %*% rates)
  covariance <- (both %*% (rates * t(both)) - outer(theta, theta)) / (n - 1)
  found <- association(most_likely_shares(theta, rates, kronecker(chances[[i]], chances[[j]])), covariance, quantile)
  compare(place("phi", about$choice[i], about$item[i], about$item[j], about$choice[j]), found$phi)
}
