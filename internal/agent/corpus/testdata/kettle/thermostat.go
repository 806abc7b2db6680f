package kettle

// Thermostat switches the coil off when the bimetal strip bends. The strip
// bends in steam, not in water, so an open lid keeps the coil on.
type Thermostat struct {
	strip float64 // curvature of the bimetal strip, in 1/m
}
