# Reads the exported files with what R has for them, and writes what it found, every digit, for the audit to compare.
# Usage: Rscript read.R FOLDER READER FILE
arguments <- commandArgs(trailingOnly = TRUE)
file <- file.path(arguments[1], arguments[3])
readers <- list(
  csv = function() utils::read.csv(file, fileEncoding = "UTF-8-BOM", check.names = FALSE, na.strings = ""),
  readxl = function() as.data.frame(readxl::read_excel(file, sheet = "estimates")),
  haven_sav = function() as.data.frame(haven::read_sav(file)),
  haven_dta = function() as.data.frame(haven::read_dta(file)),
  foreign_sav = function() foreign::read.spss(file, to.data.frame = TRUE, use.value.labels = FALSE, reencode = "UTF-8"),
  jsonlite = function() jsonlite::fromJSON(file)$estimates
)
found <- readers[[arguments[2]]]()
texts <- c("item", "wording", "choice_label", "stratum")
numbers <- c("n", "sent", "estimate", "standard_error", "low", "noise_high")
plain <- data.frame(row.names = seq_len(nrow(found)))
for (name in texts) plain[[name]] <- trimws(ifelse(is.na(found[[name]]), "", as.character(found[[name]])), "right")
for (name in numbers) plain[[name]] <- ifelse(is.na(found[[name]]), "", sprintf("%.17g", as.numeric(found[[name]])))
out <- file(file.path(arguments[1], "found.csv"), open = "wb")
con <- textConnection("lines", "w", local = TRUE, encoding = "UTF-8")
utils::write.csv(plain, con, row.names = FALSE)
close(con)
writeLines(enc2utf8(lines), out, useBytes = TRUE)
close(out)
