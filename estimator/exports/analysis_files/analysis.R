# Computes the numbers of an analysis again from its counts of randomised responses, and compares, in R alone.
#
#     Rscript analysis.R      in the folder of this file
#
# It prints each number beside the one in analysis.csv, and the exit code is 1 where one differs by more than 1e-4 (above
# 1: of its size). It needs R from 4.0 on and no package. The formulas are in the other scripts beside this one.

arguments <- commandArgs(FALSE)
file <- sub("^--file=", "", arguments[grep("^--file=", arguments)])
if (length(file)) setwd(dirname(file))

TOLERANCE <- 1e-4

read <- function(name, ...) read.csv(file.path("tables", name), check.names = FALSE, stringsAsFactors = FALSE, ...)
is_there <- function(name) file.exists(file.path("tables", name))
chances <- function(name) { table <- as.matrix(read(name, header = FALSE)); unname(table / rowSums(table)) }
settings <- read("settings.csv", colClasses = "character")
setting <- function(name) { value <- settings$value[settings$name == name]; if (length(value)) value else "" }
confidence <- as.numeric(setting("confidence"))

told <- read.csv("analysis.csv", check.names = FALSE, stringsAsFactors = FALSE, encoding = "bytes")
wrong <- seen <- 0
numbers <- function(estimate, error, low, high)
  list(estimate = unname(estimate), standard_error = unname(error), low = unname(low), high = unname(high))

# Compare numbers with those of the row at a place: the text of some of its columns. Without an estimate there, or here,
# nothing is compared. `chance` is by how much each number may differ because it is a summary of random draws.
compare <- function(place, numbers, chance = numeric()) {
  is_it <- lapply(names(place), function(name) {
    column <- told[[name]]
    is.na(column) & place[[name]] == "" | !is.na(column) & as.character(column) == place[[name]]
  })
  row <- told[Reduce(`&`, is_it), ]
  if (!nrow(row) || is.na(row$estimate[1]) || !length(numbers)) return(invisible())
  seen <<- seen + 1
  for (name in names(numbers)) {
    there <- row[[name]][1]
    here <- numbers[[name]]
    bad <- if (is.na(there) || !is.finite(here)) !is.na(there) || is.finite(here)
           else abs(there - here) > TOLERANCE * max(1, abs(there)) + if (name %in% names(chance)) chance[[name]] else 0
    wrong <<- wrong + bad
    label <- paste(unlist(place)[nzchar(unlist(place))], collapse = " ")
    cat(sprintf("%-70s %-18s %12.7g %12.7g %s\n", label, name, there, here, if (bad) "differs" else ""))
  }
}

source(paste0(setting("kind"), ".R"))
missed <- sum(!is.na(told$estimate)) - seen
cat(sprintf("analysis.csv: %d rows compared, %d numbers differ, %d rows were not computed.\n", seen, wrong, missed))
quit(status = as.integer(wrong + missed > 0))
