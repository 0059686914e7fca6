# How two versions' estimates go together where some people took part in both, for analysis.R.
#
# Who came back carries the answer along; where devices remember their tickets, the same answer is the same report, with the
# same error by chance. Who stayed with an answer is known no better than the estimates say (Kish 1965, section 12.4).

# The variance of the unbiased share of a choice in the report of a person, by her answer: of several choices that can hold
# at once without and with it.
noise_of_answers <- function(item, choice) {
  if (item$encoding == "single") {
    P <- item$weights / sum(item$weights[1, ])
    by_answer <- P %*% t(left_inverse(item$weights)^2) - diag(nrow(P))
    return(by_answer[, choice + 1])
  }
  chances <- chances_of_one(item)
  marks <- chances * (1 - chances) / diff(chances)^2
  if (item$encoding == "each_option") rev(marks) else ifelse(seq_len(item$k) == choice + 1, marks[1], marks[2])
}

# The covariances of the shares of a choice, or the means, of two versions: of the largest standard error of the difference
# that `returned` people allow, and of the smallest.
covariances <- function(new, old, choice, returned, remembered) {
  if (is.na(choice)) return(covariances_of_means(new$mean, old$mean, returned, remembered))
  new <- new$shares
  old <- old$shares
  several <- !new$exclusive
  shares <- lapply(list(old, new), function(one)
    if (several) c(1 - one$constrained[choice + 1], one$constrained[choice + 1]) else one$constrained)
  worth <- noise_of_answers(item, choice) * remembered + (seq_along(shares[[1]]) == if (several) 2 else choice + 1)
  fewest <- pmax(returned - old$n * (1 - shares[[1]]) - new$n * (1 - shares[[2]]), 0)
  most <- pmin(old$n * shares[[1]], new$n * shares[[2]], returned)
  by <- order(-worth)  # those whose staying counts most come first, until all who returned have stayed
  stayed <- diff(c(0, pmin(cumsum(most[by]), returned)))
  common <- returned * old$constrained[choice + 1] * new$constrained[choice + 1]
  (c(sum(fewest * worth), sum(stayed * worth[by])) - common) / (old$n * new$n)
}

covariances_of_means <- function(new, old, returned, remembered) {
  spread <- function(mean) {  # the variance of the values among the respondents, at most (Bhatia & Davis 2000)
    if (!is.nan(mean$direct)) return(mean$direct)
    min((mean$ends[2] - mean$constrained) * (mean$constrained - mean$ends[1]), mean$n * mean$error^2)
  }
  part <- returned / (old$n * new$n)
  people <- part * sqrt(spread(old) * spread(new))
  tickets <- part * sqrt(old$n * new$n) * old$noise_error * new$noise_error * remembered
  c(-people, people + tickets)
}
