# Compute every number of this report again from its counts of randomised reports, and compare.
#
#     Rscript rebuild.R                   prints a table; the exit code is 1 where anything differs
#     Rscript rebuild.R --write out.csv   writes the numbers computed here, too
#
# Base R from 4.0 on, and no package. It reads the files of the folder tables and compares with estimates.csv; the
# formulas are in formulas.R and estimates.R beside it.
#
# PACKAGES TO COMPARE WITH
# rr (Blair, Zhou & Imai) fits logistic regressions of a yes/no answer; without covariates that is the share itself.
# With a row for each report (from a bundle with reports), and in it y, 1 for a sent "yes" and 0 for a "no":
#   library(rr)                                                                # forced response:
#   fit <- rrreg(y ~ 1, data = reports, p = 1/2, p0 = 1/4, p1 = 1/4, design = "forced-known")
#   plogis(coef(fit))                         # p the chance of the truth, p1 of a forced yes, p0 of a forced no
#   fit <- rrreg(y ~ 1, data = reports, p = 3/4, design = "mirrored")          # Warner's design: p the truth
# It covers these and "disguised" and "unrelated-known", of yes/no questions alone; its intervals are normal ones.
# RRreg (Heck & Moshagen) estimates shares, of more than two answers too:
#   library(RRreg)
#   RRuni(response = reports$y, model = "Warner", p = 3/4, MLest = TRUE)
#   RRuni(response = reports$y, model = "FR", p = c(1/4, 1/4), MLest = TRUE)   # chances of a forced 0, 1, ...: k-ary
#   RRuni(response = reports$y, model = "custom", p = M, MLest = TRUE)         # any table: M[sent, true] = t(P)
# Neither covers one_hot, subset and several choices (but each of several choices alone is a yes/no question), means of
# numbers, exact intervals, the tickets' part alone, known shares of strata or intervals for every look. Expect the same
# share; standard errors differ a little, as these divide by n - 1.

ALARM <- 4         # standard errors of the tickets by which an estimate may lie outside of what can be
TOLERANCE <- 1e-9  # of a number of size up to 1, else of its size

arguments <- commandArgs(trailingOnly = FALSE)
here <- dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE)[1]))
chosen <- commandArgs(trailingOnly = TRUE)
source(file.path(here, "formulas.R"))
source(file.path(here, "estimates.R"))

# ---- A question: all respondents, then each stratum ----------------------------------------------------------------

sizes_of <- function(item, W) sapply(names(W), function(stratum) sum(item$counts[[stratum]][1, ]))

weighted <- function(item, W, level) {
  if (sum(sizes_of(item, W)) < FEWEST) return(NULL)
  members <- collapsed(sizes_of(item, W), FEWEST)
  fits <- lapply(members, function(strata) {
    counts <- Reduce(`+`, item$counts[names(W)[strata]])
    fit_of(item, counts, sum(counts[1, ]), level)
  })
  W <- sapply(members, function(strata) sum(W[strata]))
  if (item$kind == "number") return(list(mean = combined_means(lapply(fits, `[[`, "mean"), W, level)))
  shares <- combined_shares(lapply(fits, `[[`, "shares"), W, level)
  list(shares = shares, mean = if (item$kind == "scale") mean_of_shares(shares, item$values, level))
}

overall <- function(item, W, level) if (length(W)) weighted(item, W, level) else fit(item, item$everyone, level)

at_every_look <- function(found, item, counts, level) list(
  shares = if (!is.null(found$shares)) shares_at_every_look(found$shares, item, counts, level),
  mean = if (!is.null(found$mean)) mean_at_every_look(found$mean, item, counts, level)
)

# `strata` names for each group the rows of the counts that it is the sum of.
rows_of <- function(item, strata, W, level, every_look) {
  found <- overall(item, W, level)
  if (!is.null(found) && every_look) found <- at_every_look(found, item, if (!length(W)) item$everyone, level)
  flags <- if (length(W)) "weighted_by_known_shares" else character()
  as_one <- length(W) && ("other groups" %in% names(W) || length(collapsed(sizes_of(item, W), FEWEST)) < length(W))
  if (as_one) flags <- c(flags, "small_groups_weighted_as_one")
  rows <- rows_of_stratum(item, "", item$everyone, found, flags)
  for (stratum in names(strata)) {
    counts <- Reduce(`+`, item$counts[strata[[stratum]]])
    found <- fit(item, counts, level)
    if (!is.null(found) && every_look) found <- at_every_look(found, item, counts, level)
    rows <- c(rows, rows_of_stratum(item, stratum, counts, found, character()))
  }
  lapply(rows, function(row) c(row, meaning_of(row, item, W)))
}

# Of a number, and of a scale through discrete Laplace noise, the mean alone is told.
tells_shares <- function(item) item$kind != "number" && (item$kind != "scale" || item$mechanism != "discrete_laplace")

rows_of_stratum <- function(item, stratum, counts, found, flags) {
  rows <- list()
  place <- list(item = item$key, stratum = stratum, n = sum(counts[1, ]))
  if (tells_shares(item)) {
    said <- sent(item, counts)
    for (x in seq_along(said)) {
      named <- c(place, list(measure = "share", choice = x - 1, sent = said[[x]]))
      rows[[length(rows) + 1]] <- c(named, numbers_of_share(found$shares, x, flags))
    }
  }
  if (length(item$values)) {
    named <- c(place, list(measure = "mean", choice = 0, sent = NA))
    rows[[length(rows) + 1]] <- c(named, numbers_of_mean(found$mean, flags))
  }
  rows
}

# Of whom a row speaks, and how its number was estimated.
meaning_of <- function(row, item, W) {
  of <- if (length(W) && row$stratum == "") "_weighted" else ""
  by_encoding <- switch(item$encoding,
    one_hot = , subset = "nearest_shares", each_option = "own_count", "maximum_likelihood"
  )
  of_mean <- if (item$kind == "number") "mean_of_scores" else "mean_of_shares"
  list(
    estimate_method = if (row$measure == "mean") of_mean else by_encoding, target = paste0("population", of),
    noise_target = paste0("respondents", of)
  )
}

nothing <- function(why) list(
  estimate_unclipped = NA, estimate = NA, standard_error = NA, low = NA, high = NA, interval_method = "none",
  noise_standard_error = NA, noise_low = NA, noise_high = NA, noise_interval_method = "none", direct_question_n = NA,
  flags = why, at_the_border = ""
)

# direct_question_n: how many honest respondents a direct question needs for the same standard error; not told where the
# interval touches an end of the range.
numbers_of_share <- function(shares, x, flags) {
  if (is.null(shares)) return(nothing("too_few_reports"))
  at <- function(name) shares[[name]][[x]]
  told <- at("error") > 0 && at("low") > 0 && at("high") < 1
  direct <- if (told) 1 + at("constrained") * (1 - at("constrained")) / at("error")^2 else NA
  outside <- max(-at("unbiased"), at("unbiased") - 1)
  stated(shares, at, direct, flags, outside, "estimate_outside_0_1")
}

numbers_of_mean <- function(mean, flags) {
  if (is.null(mean)) return(nothing("too_few_reports"))
  if (is.nan(mean$unbiased)) return(nothing("too_few_gave_a_value"))
  at <- function(name) mean[[name]]
  told <- mean$error > 0 && !is.nan(mean$direct) && mean$ends[1] < mean$low && mean$high < mean$ends[2]
  direct <- if (told) 1 + mean$direct / mean$error^2 else NA
  outside <- max(mean$ends[1] - mean$unbiased, mean$unbiased - mean$ends[2])
  stated(mean, at, direct, flags, outside, "mean_outside_range")
}

stated <- function(found, at, direct, flags, outside, word) {
  misfit <- if (outside <= 0) 0 else if (at("noise_error") > 0) outside / at("noise_error") else Inf
  flags <- c(flags, if (outside > 0) word, if (misfit > ALARM) "reports_outside_table")
  # At the very border the last digit decides, which differs from one computer to another.
  at_the_border <- if (abs(outside) < 1e-12 * max(1, abs(at("unbiased")))) word else ""
  list(
    estimate_unclipped = at("unbiased"), estimate = at("constrained"), standard_error = at("error"), low = at("low"),
    high = at("high"), interval_method = found$method, noise_standard_error = at("noise_error"),
    noise_low = at("noise_low"), noise_high = at("noise_high"), noise_interval_method = found$noise_method,
    direct_question_n = direct, flags = paste(flags, collapse = " "), at_the_border = at_the_border
  )
}

# ---- Odds and poisoning bounds -------------------------------------------------------------------------------------

# e^epsilon: how much a report can change the odds of two answers, at most (Dwork & Roth 2014).
odds_of <- function(item) {
  w <- item$weights
  ratio <- function(x, y) max(w[x, ][w[y, ] > 0] / w[y, ][w[y, ] > 0])
  switch(item$encoding,
    single = max(apply(w[, colSums(w) > 0, drop = FALSE], 2, function(column) max(column) / min(column))),
    one_hot = ratio(1, 2) * ratio(2, 1),
    each_option = max(ratio(1, 2), ratio(2, 1))^(if (is.na(item$most)) item$k else min(item$k, 2 * item$most)),
    subset = w[1, 2] * (item$k - item$size) / (w[1, 1] * item$size)
  )
}

# How far false reports can move a share or the mean (Cheu, Smith & Ullman 2021).
bounds_of <- function(item, W, level) {
  n <- sum(item$everyone[1, ])
  sizes <- sizes_of(item, W)
  if (n == 0 || (length(W) && min(sizes) == 0)) return(list())
  heaviest <- if (length(W)) max(W * n / sizes) else 1
  found <- overall(item, W, level)
  rows <- list()
  for (measure in c(if (tells_shares(item)) "share", if (length(item$values)) "mean")) for (share in c(0.01, 0.05)) {
    false <- ceiling(round(share * n, 6))
    moved <- false / n * heaviest
    shift <- if (measure == "share") shift_of_share(item, found$shares, moved) else shift_of_mean(item, found$shares, moved)
    if (is.infinite(shift)) next  # nothing is certain, so nothing is told
    rows[[length(rows) + 1]] <- list(
      item = item$key, measure = measure, n = n, false_share = share, false_reports = false, largest_shift = shift
    )
  }
  rows
}

shift_of_share <- function(item, shares, moved) {
  shift <- moved * lever(item) * spill(item)
  if (shift <= room(item, shares) + 1e-12) shift else Inf
}

# How many times as far as an unbiased share the one that is shown can move: marks and sets are moved to the simplex.
spill <- function(item) {
  dropped <- min(item$size, item$k - item$size)
  switch(item$encoding, one_hot = 2 * (item$k - 1) / item$k, subset = 2 * dropped / (dropped + 1), 1)
}

# How far the shares that are shown move with certainty as the unbiased ones do.
room <- function(item, shares) {
  w <- item$weights
  if (item$encoding != "single" || all(dim(w) == 2)) return(Inf)
  b <- background(w)
  if (!is.null(b) && w[1, 1] > b[1]) return(Inf)
  if (is.null(shares) || ncol(w) > nrow(w)) return(0)
  max(min(shares$unbiased), 0, na.rm = TRUE)
}

lever <- function(item) {
  if (item$encoding == "single") return(max(apply(left_inverse(item$weights), 1, function(row) diff(range(row)))))
  chances <- chances_of_one(item)
  1 / abs(chances[1] - chances[2])
}

shift_of_mean <- function(item, shares, moved) {
  valued <- !is.na(item$values)
  widest <- diff(range(item$values[valued]))
  scores <- scores_of(item$weights, ifelse(valued, item$values, 0))
  if (all(valued)) return(min(moved * diff(range(scores)), widest))
  if (is.null(shares)) return(widest)
  having <- scores_of(item$weights, as.numeric(valued))
  share <- sum(shares$unbiased[valued])
  left <- share - moved * diff(range(having))
  if (left <= 0 || share <= 0) return(widest)
  ratio <- sum(shares$unbiased[valued] * item$values[valued]) / share
  min(moved * diff(range(scores - ratio * having)) / left, widest)
}

# ---- Reading, comparing, printing ----------------------------------------------------------------------------------

read <- function(...) {
  table <- read.csv(
    file.path(here, ...), colClasses = "character", check.names = FALSE, na.strings = character(), encoding = "UTF-8"
  )
  names(table)[1] <- gsub("[^a-z_]", "", names(table)[1], useBytes = TRUE)  # the byte order mark
  table
}

number <- function(text) ifelse(text == "", NA, suppressWarnings(as.numeric(text)))
fraction <- function(text) sapply(strsplit(text, "/"), function(parts) {  # exact: "2/5", "0.4" or "12"
  parts <- as.numeric(parts)
  if (length(parts) == 2) parts[1] / parts[2] else parts[1]
})

grid_of <- function(table, row, column, value) {
  found <- matrix(0, max(row) + 1, max(column) + 1)
  found[cbind(row, column) + 1] <- value
  found
}

read_items <- function() {
  tables <- lapply(c("items", "channels", "values", "tallies"), function(name) read("tables", paste0(name, ".csv")))
  names(tables) <- c("items", "channels", "values", "tallies")
  lapply(seq_len(nrow(tables$items)), function(i) {
    row <- tables$items[i, ]
    of <- lapply(tables[-1], function(table) table[table$item == row$item, ])
    channel <- lapply(of$channels[-1], as.numeric)
    counts <- lapply(split(of$tallies, factor(of$tallies$stratum, unique(of$tallies$stratum))), function(one) {
      grid_of(one, as.numeric(one$symbol), as.numeric(one$value), as.numeric(one$count))
    })
    list(
      key = row$item, kind = row$kind, mechanism = row$mechanism, encoding = row$encoding,
      k = as.numeric(row$answers), size = number(row$size), most = number(row$most),
      weights = grid_of(channel, channel$row, channel$column, channel$weight),
      values = number(of$values$value), counts = counts, everyone = Reduce(`+`, counts)
    )
  })
}

# Whether what a file states (text) is not what was computed; NULL is a column that is not there.
differs <- function(computed, text) {
  if (is.null(text)) return(TRUE)
  if (is.na(computed)) return(text != "")
  if (is.character(computed)) return(computed != text)
  value <- suppressWarnings(as.numeric(text))
  is.na(value) || abs(value - computed) > TOLERANCE * max(1, abs(computed))
}

same_words <- function(one, other, but) {
  words <- function(text) setdiff(strsplit(text, " ")[[1]], but)
  setequal(words(one), words(other))
}

compare <- function(what, computed, file, names) {
  key <- function(row) paste(sapply(names, function(name) format(row[[name]], trim = TRUE)), collapse = ", ")
  keys <- vapply(seq_len(nrow(file)), function(i) key(file[i, ]), "")
  found <- character()
  if (nrow(file) != length(computed)) found <- sprintf("%s: %d rows; %d computed", what, nrow(file), length(computed))
  for (row in computed) {
    i <- match(key(row), keys)
    if (is.na(i)) {
      found <- c(found, sprintf("%s: no row for %s", what, key(row)))
      next
    }
    for (name in setdiff(names(row), "at_the_border")) {
      text <- file[[name]][i]
      if (!differs(row[[name]], text) || (name == "flags" && same_words(row[[name]], text, row$at_the_border))) next
      value <- format(row[[name]], digits = 17)
      found <- c(found, sprintf("%s: %s: %s is %s; computed %s", what, key(row), name, text, value))
    }
  }
  found
}

# e^epsilon of a person who answers all questions of a version of the page; of the version that tells the most.
odds_of_all <- function(ratios, versions) {
  if (is.null(versions)) return(prod(ratios))
  asking <- strsplit(versions, "|", fixed = TRUE)
  max(sapply(unique(unlist(asking)), function(version) prod(ratios[sapply(asking, function(one) version %in% one)])))
}

main <- function() {
  items <- read_items()
  sheet <- read("estimates.csv")
  strata <- read("tables", "strata.csv")
  W <- if (nrow(strata) && all(strata$share != "")) setNames(fraction(strata$share), strata$stratum) else numeric()
  level <- as.numeric(sheet$confidence[1])
  every_look <- sheet$interval_holds[1] == "every_look"
  rows <- if (is.null(strata$rows)) strata$stratum else strsplit(strata$rows, "|", fixed = TRUE)
  groups <- setNames(as.list(rows), strata$stratum)
  rows <- unlist(lapply(items, rows_of, strata = groups, W = W, level = level, every_look = every_look), FALSE)
  bounds <- unlist(lapply(items, bounds_of, W = W, level = level), FALSE)
  ratios <- sapply(items, odds_of)
  keys <- c(sapply(items, `[[`, "key"), "")
  odds_row <- function(item, ratio) list(item = item, epsilon = log(ratio), odds = ratio)
  odds <- Map(odds_row, keys, c(ratios, odds_of_all(ratios, read("tables", "items.csv")$versions)))
  epsilons <- setNames(log(ratios), keys[-length(keys)])
  for (i in seq_along(rows)) rows[[i]]$epsilon <- epsilons[[rows[[i]]$item]]

  stated_odds <- read("tables", "odds.csv")
  stated_odds$odds <- format(fraction(stated_odds$odds), digits = 17)
  found <- c(
    compare("estimates.csv", rows, sheet, c("item", "measure", "choice", "stratum")),
    compare("bounds.csv", bounds, read("tables", "bounds.csv"), c("item", "measure", "false_share")),
    compare("odds.csv", odds, stated_odds, "item")
  )
  columns <- setdiff(names(rows[[1]]), "at_the_border")
  table <- as.data.frame(lapply(setNames(columns, columns), function(name) sapply(rows, `[[`, name)))
  options(width = 200)
  print(table[c("item", "stratum", "measure", "choice", "estimate", "low", "high", "interval_method")], digits = 6)
  if (length(chosen) == 2 && chosen[1] == "--write") {
    table[] <- lapply(table, function(column) if (is.numeric(column)) sprintf("%.17g", column) else column)
    write.csv(table, chosen[2], row.names = FALSE, na = "")
  }
  if (length(found)) {
    cat(sprintf("\n%d differences:", length(found)), head(found, 50), sep = "\n", file = stderr())
    quit(status = 1)
  }
  cat(sprintf("\nNo difference above %g in %d estimates and %d bounds.\n", TOLERANCE, length(rows), length(bounds)))
}

main()
