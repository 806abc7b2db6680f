//go:build !gcs

package bucket

const withGCS = false
