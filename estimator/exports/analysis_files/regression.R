# The numbers of a regression, for analysis.R.
#
# A report is drawn from the row of the table that belongs to the answer, so a model of the answers' shares given the
# predictors says the chances of reports: L = sum over answers of table x share (Scheers & Dayton 1988; van den Hout, van
# der Heijden & Gilchrist 2007). Where a predictor is a randomised answer, too, its shares are modelled with the others
# held fixed, and L is a sum over its answers as well (Blair, Imai & Zhou 2015). The maximum is found by `optim`. Standard
# errors are those of the curvature there; with weights of the sandwich (White 1982). Of a mean each report stands for its
# unbiased value: least squares, with errors HC3 (MacKinnon & White 1985), or HC1 where a randomised answer is a predictor,
# whose unbiased values stand in the normal equations (van den Hout & Kooiman 2006). Shares and means are averaged over the
# respondents as if all had given an answer (Graubard & Korn 1999), with errors by the delta method and limits of shares on
# the logit scale.

ENOUGH <- 30  # with fewer responses an answer is left out, with those who gave it

data <- read("responses.csv")
model <- setting("model")
linear <- model == "linear"
latent <- settings$value[grepl("^answer ", settings$name)]  # the keys of randomised predictors
answered <- length(latent) > 0
if (linear) scores <- read("scores.csv", header = FALSE)[[1]] else channel <- chances("channel.csv")
predictors <- grep("^[a-z0-9]", names(data), value = TRUE)  # the names of other columns have capitals
crossed <- matrix(settings$value[grepl("^interaction ", settings$name)], 2)  # each two predictors that interact
alone <- setdiff(predictors, crossed)
modifier <- setting("modifier")  # the predictor that the effects of randomised ones differ by
stepped <- settings$value[grepl("^steps ", settings$name)]  # predictors whose answers are numbers
quantile <- qnorm((1 + confidence) / 2)

# Answers, and of two predictors that interact pairs of answers, that too few gave are left out.
whole <- data
size <- function(table, given) sum(table$Count[Reduce(`&`, lapply(names(given), function(k) table[[k]] == given[[k]]))])
answers <- function(name) {
  found <- unique(data[[name]])
  if (setting("first") != "") return(c(setting("first"), setdiff(found, setting("first"))))
  found[order(as.numeric(sub(".*=", "", found)))]
}
pairs_of <- function() do.call(c, lapply(seq_len(ncol(crossed)), function(at) {
  pair <- predictors[predictors %in% crossed[, at]]
  both <- expand.grid(second = answers(pair[2]), first = answers(pair[1]), stringsAsFactors = FALSE)
  lapply(seq_len(nrow(both)), function(k) setNames(list(both$first[k], both$second[k]), pair))
}))
repeat {
  given <- c(unlist(lapply(predictors, function(name) lapply(answers(name), function(one) setNames(list(one), name))),
                    recursive = FALSE), pairs_of())
  if (!length(given)) break
  sizes <- vapply(given, function(one) size(data, one), 0)
  single <- lengths(given) == 1
  few <- ifelse(single, sizes < ENOUGH, sizes > 0 & sizes < ENOUGH)
  rare <- given[few & !(single & vapply(given, function(one) names(one)[1], "") %in% stepped)]
  if (!length(rare)) break
  holds <- Reduce(`|`, lapply(rare, function(one)
    Reduce(`&`, lapply(names(one), function(k) data[[k]] == one[[k]]))))
  data <- data[!holds, ]
}

# An indicator for each answer but the first, or the number of the answer; of two predictors that interact an indicator
# for each pair of answers that the columns before it do not add up to, those of two first answers last.
columns <- list()
for (name in predictors)
  columns <- c(columns, lapply(if (name %in% stepped) "step" else answers(name)[-1],
                               function(one) setNames(list(one), name)))
pairs <- Filter(function(one) size(data, one) > 0, pairs_of())
design <- function(table) {
  holds <- function(one) {
    if (one[[1]] == "step") return(as.numeric(sub(".*=", "", table[[names(one)]])))
    Reduce(`&`, lapply(names(one), function(k) table[[k]] == one[[k]]))
  }
  matrix(vapply(columns, function(one) as.numeric(holds(one)), numeric(nrow(table))), nrow = nrow(table))
}

if (length(pairs)) {
  at_first <- vapply(pairs, function(one) any(vapply(names(one), function(k) one[[k]] == answers(k)[1], NA)), NA)
  of <- vapply(pairs, function(one) paste(names(one), collapse = "+"), "")
  single <- length(columns)
  columns <- c(columns, pairs[order(match(of, unique(of)), at_first)])
  found <- qr(cbind(1, design(data)), tol = 1e-9)  # dependent columns last, the others in their order
  kept <- sort(found$pivot[seq_len(found$rank)])[-1] - 1
  columns <- columns[union(seq_len(single), kept)]
}

# The shares of the answers, a column each, from coefficients and indicators; of a linear model the mean.
p <- length(columns)
k <- if (linear) 1 else nrow(channel)
inverse <- switch(model, linear = identity, logit = plogis, probit = pnorm, cloglog = function(eta) -expm1(-exp(eta)), plogis)
shares <- function(b, x) {
  if (linear) return(cbind(1, x) %*% b)
  if (model == "multinomial") {
    eta <- cbind(0, cbind(1, x) %*% matrix(b, p + 1))
    return(exp(eta) / rowSums(exp(eta)))
  }
  if (model == "ordinal") {
    below <- plogis(outer(-drop(x %*% b[k:(k + p - 1)]), b[1:(k - 1)], `+`))
    return(cbind(below, 1) - cbind(0, below))
  }
  yes <- inverse(drop(cbind(1, x) %*% b))
  cbind(1 - yes, yes)
}
starts <- list(switch(model, multinomial = rep(0, (p + 1) * (k - 1)), ordinal = c(qlogis(seq_len(k - 1) / k), rep(0, p)),
                      rep(0, p + 1)))

x <- design(data)
mass <- data$Count * data$Weight
each <- function(b) log(rowSums(shares(b, x) * t(channel[, data$Report + 1])))
if (answered) {  # coefficients of the outcome, effects of the answers but the first, coefficients of their shares
  others <- lapply(seq_along(latent), function(at) chances(paste0("answer-", at, ".csv")))
  sizes <- vapply(others, nrow, 0)
  combinations <- as.matrix(rev(expand.grid(rev(lapply(sizes, seq_len)))))  # the last answer changes fastest
  # Which effects add up to that of a combination, a row each, and the chance of what each respondent reported.
  pattern <- do.call(cbind, lapply(seq_along(sizes), function(at)
    outer(combinations[, at], seq_len(sizes[at])[-1], `==`) + 0))
  reported <- function(tables) Reduce(`*`, lapply(seq_along(tables), function(at)
    t(tables[[at]][combinations[, at], data[[paste("Answer", at)]] + 1])))
  # What effects are multiplied by: 1, and indicators of the modifier's answers; a row of effects for each of these.
  modifying <- which(vapply(columns, function(one) identical(names(one), modifier), NA))
  modifiers <- function(x) cbind(1, x[, modifying, drop = FALSE])
  effects <- p + 1 + seq_len(ncol(pattern) * (1 + length(modifying)))
  by_modifier <- function(b) matrix(b[effects], ncol = ncol(pattern), byrow = TRUE)
  held_shares <- function(b) {  # of the answers, a column each
    if (linear) {  # they depend on the modifier alone
      own <- modifiers(x) %*% matrix(b[-seq_len(max(effects))], 1 + length(modifying), byrow = TRUE)
      return(cbind(1 - rowSums(own), own))
    }
    odds <- exp(cbind(0, cbind(1, x) %*% matrix(b[-seq_len(max(effects))], p + 1)))
    odds / rowSums(odds)
  }
  by_answer <- function(b, x)
    inverse(drop(cbind(1, x) %*% b[seq_len(p + 1)]) + modifiers(x) %*% tcrossprod(by_modifier(b), pattern))
  shown <- reported(others)
  each <- function(b) {
    yes <- by_answer(b, x)
    said <- channel[1, data$Report + 1] * (1 - yes) + channel[2, data$Report + 1] * yes
    log(rowSums(shown * held_shares(b) * said))
  }
  parameters <- max(effects) + (p + 1) * (nrow(pattern) - 1)
  starts <- lapply(c(0, -1.5, 1.5, -4, 4), function(by)
    replace(numeric(parameters), effects[seq_len(ncol(pattern))], by))
}
penalty <- function(b) 0
if (setting("prior") != "") {  # of intercepts, or cuts, at the predictors' means, and of slopes times their deviations
  scale <- as.numeric(setting("prior")) / sqrt(sum(mass) / sum(data$Count))  # weights count as if their mean were 1
  means <- colSums(x * mass) / sum(mass)
  deviations <- sqrt(colSums(sweep(x, 2, means)^2 * mass) / sum(mass))
  equations <- function(b) {  # columns of an intercept and slopes
    each <- matrix(b, p + 1)
    c(each[1, ] + colSums(means * each[-1, , drop = FALSE]), deviations * each[-1, ])
  }
  at_means <- function(b) {
    if (model == "ordinal") return(c(b[1:(k - 1)] - sum(means * b[-(1:(k - 1))]), deviations * b[-(1:(k - 1))]))
    if (!answered) return(equations(b))
    own <- by_modifier(b)
    more <- own[-1, , drop = FALSE]
    c(own[1, ] + colSums(means[modifying] * more), deviations[modifying] * more, equations(b[-effects]))
  }
  penalty <- function(b) -sum((at_means(b) / scale)^2) / 2
}
height <- function(b) { value <- sum(mass * each(b)) + penalty(b); if (is.finite(value)) value else -1e10 }
# Derivatives by differences of fourth order, a column for each coefficient.
jacobian <- function(f, b, step = 1e-3) {
  vapply(seq_along(b), function(j) {
    d <- replace(numeric(length(b)), j, step)
    (8 * (f(b + d) - f(b - d)) - (f(b + 2 * d) - f(b - 2 * d))) / (12 * step)
  }, f(b))
}
gradient <- function(b) drop(jacobian(height, b))
highest <- function() {
  control <- list(fnscale = -1, maxit = 2000, reltol = 1e-14)
  climbs <- lapply(starts, function(start) optim(start, height, gradient, method = "BFGS", control = control))
  climbs <- climbs[order(-vapply(climbs, function(climb) climb$value, 0))]
  # With a randomised predictor the highest from which no coefficient runs away, whose information is not near 0.
  ends <- function(climb) {
    information <- -jacobian(gradient, climb$par)
    all(is.finite(information)) && min(eigen(information, TRUE, TRUE)$values) > 1e-3
  }
  best <- if (answered) Find(ends, climbs)
  b <- (if (is.null(best)) climbs[[1]] else best)$par
  for (step in 1:5) b <- b - solve(jacobian(gradient, b), gradient(b))  # Newton's method, from near the maximum
  covariance <- solve(-jacobian(gradient, b))
  if (setting("weighted") == "1") {
    scores <- jacobian(each, b)
    covariance <- covariance %*% crossprod(scores * sqrt(data$Count) * data$Weight) %*% covariance
  }
  list(b = b, covariance = covariance)
}
least_squares <- function() {
  rows <- cbind(1, x)
  share <- data$Weight / sum(mass)  # of each respondent
  inverse <- solve(crossprod(rows * sqrt(share * data$Count)))
  value <- scores[data$Report + 1]
  b <- drop(inverse %*% crossprod(rows, share * data$Count * value))
  leverage <- share * rowSums((rows %*% inverse) * rows)
  residual <- share * (value - drop(rows %*% b)) / (1 - leverage)
  list(b = b, covariance = inverse %*% crossprod(rows * sqrt(data$Count) * residual) %*% inverse)
}
# The normal equations with unbiased values of the answers: of what is seen, `held` are those of a row, a column each.
corrected <- function() {
  rows <- cbind(1, x)
  held <- reported(lapply(others, function(table) {
    weighted <- sweep(table, 2, pmax(colMeans(table), 1e-300), `/`)  # least variance at equally frequent answers
    solve(tcrossprod(weighted, table), weighted)
  }))
  share <- mass / sum(mass)
  each <- modifiers(x)
  of_answer <- lapply(seq_len(nrow(pattern)), function(a)
    do.call(cbind, c(list(rows), lapply(seq_len(ncol(each)), function(m) outer(each[, m], pattern[a, ])))))
  added <- function(f) Reduce(`+`, lapply(seq_along(of_answer), function(a) f(of_answer[[a]], a)))
  moments <- added(function(columns, a) crossprod(columns, share * held[, a] * columns))
  value <- scores[data$Report + 1]
  b <- drop(solve(moments, added(function(columns, a) crossprod(columns, share * held[, a] * value))))
  products <- solve(crossprod(each * sqrt(share)))
  own <- products %*% crossprod(each, share * held[, -1, drop = FALSE])  # shares, linear in the modifiers
  own_left <- held[, -1, drop = FALSE] - each %*% own
  own <- c(t(own))
  left <- held * (value - by_answer(c(b, own), x))
  influence <- cbind(
    added(function(columns, a) columns * left[, a]) %*% solve(moments),
    do.call(cbind, lapply(seq_len(ncol(each)), function(m) drop(each %*% products[, m]) * own_left)))
  n <- sum(data$Count)
  covariance <- crossprod(influence * sqrt(data$Count) * data$Weight / sum(mass)) * n / (n - length(b))
  list(b = c(b, own), covariance = covariance)
}
fit <- if (linear && answered) corrected() else if (linear) least_squares() else highest()
b <- fit$b
covariance <- fit$covariance

# The numbers: shares in each scenario, their differences, odds ratios.
places <- if (k == 2) 2 else seq_len(k)
choices <- if (linear) "" else if (k == 2) setting("choice") else as.character(seq_len(k) - 1)
quantity <- if (linear) "mean" else "share"
# The average over the respondents as if all had given these answers; everybody keeps her answers to the randomised
# predictors, or all give an answer to the one at a place.
average <- function(given, place = NULL, answer = NULL) function(b) {
  table <- data
  for (name in names(given)) table[[name]] <- given[[name]]
  if (answered) {
    yes <- by_answer(b, design(table))
    held <- held_shares(b)
    if (!is.null(place)) {
      moved <- combinations
      moved[, place] <- answer
      held <- held %*% outer(apply(moved, 1, paste, collapse = " "), apply(combinations, 1, paste, collapse = " "), `==`)
    }
    return(sum(rowSums(yes * held) * mass) / sum(mass))
  }
  colSums(shares(b, design(table)) * mass)[places] / sum(mass)
}
deviation <- function(f) { j <- matrix(jacobian(f, b), ncol = length(b)); sqrt(rowSums((j %*% covariance) * j)) }
compare_at <- function(quantity, group, against, choice, numbers, other = c("", ""))
  compare(list(quantity = quantity, group = group, against = against, choice = choice, other_item = other[1],
               other_choice = other[2]), numbers)
key <- function(given) paste(unlist(given), collapse = "+")
ratio <- function(f) {  # of the logarithm of one
  error <- deviation(f)
  numbers(exp(f(b)), error, exp(f(b) - quantile * error), exp(f(b) + quantile * error))
}
levels_of <- function(f) {  # of each choice the share, with limits on the logit scale, or the mean
  level <- f(b)
  error <- deviation(f)
  lapply(seq_along(level), function(at) {
    ends <- if (linear) level[at] + c(-1, 1) * quantile * error[at]
            else plogis(qlogis(level[at]) + c(-1, 1) * quantile * error[at] / (level[at] * (1 - level[at])))
    numbers(level[at], error[at], ends[1], ends[2])
  })
}
changes_of <- function(f) {
  by <- f(b)
  error <- deviation(f)
  lapply(seq_along(by), function(at)
    numbers(by[at], error[at], by[at] - quantile * error[at], by[at] + quantile * error[at]))
}
scenarios <- c(unlist(lapply(alone, function(name)
  lapply(answers(name), function(one) setNames(list(one), name))), recursive = FALSE), pairs)
for (given in scenarios) {
  found <- levels_of(average(given))
  for (at in seq_along(found)) compare_at(quantity, key(given), "", choices[at], found[[at]])
}
odds <- function(column, group, against) {
  if (!model %in% c("logit", "ordinal", "multinomial")) return(invisible())
  at <- switch(model, logit = 1 + column, ordinal = k - 1 + column, 1 + column + (seq_len(k - 1) - 1) * (p + 1))
  of <- switch(model, logit = setting("choice"), ordinal = "", as.character(seq_len(k - 1)))
  for (n in seq_along(at)) compare_at("odds_ratio", group, against, of[n], ratio(function(b) b[at[n]]))
}
for (name in alone) {
  enough <- Filter(function(one) size(whole, setNames(list(one), name)) >= ENOUGH, answers(name))
  for (one in if (name %in% stepped) enough[length(enough)] else answers(name)[-1]) {
    first <- setNames(list(enough[1]), name)
    other <- setNames(list(one), name)
    found <- changes_of(function(b) average(other)(b) - average(first)(b))
    for (at in seq_along(found)) compare_at("difference", one, key(first), choices[at], found[[at]])
    if (!name %in% c(stepped, modifier)) odds(which(vapply(columns, function(c) identical(c, other), NA)), one, key(first))
  }
  if (name %in% stepped)
    odds(which(vapply(columns, function(c) identical(c, setNames(list("step"), name)), NA)), paste0(name, "=step"), "")
}
# The answers to the randomised predictors, of everybody and with each answer to the modifier.
within <- c(list(list()), if (modifier != "") lapply(answers(modifier), function(one) setNames(list(one), modifier)))
for (place in seq_along(latent)) for (given in within) for (a in seq_len(sizes[place])) {
  of_answer <- function(quantity, found)
    compare_at(quantity, key(given), "", setting("choice"), found, c(latent[place], as.character(a - 1)))
  level_at <- function(answer) average(given, place, answer)
  of_answer(quantity, levels_of(level_at(a))[[1]])
  if (a == 1) next
  of_answer("difference", changes_of(function(b) level_at(a)(b) - level_at(1)(b))[[1]])
  if (model != "logit" || (modifier != "" && !length(given))) next
  at <- sum(sizes[seq_len(place - 1)] - 1) + a - 1
  known <- as.numeric(c(TRUE, vapply(columns[modifying], function(one) identical(one, given), NA)))
  of_answer("odds_ratio", ratio(function(b) sum(known * by_modifier(b)[, at])))
}
