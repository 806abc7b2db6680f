// Package tex makes PDFs of LaTeX files with what the machine has.
package tex
