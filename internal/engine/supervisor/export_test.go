package supervisor

// TestProducts are the products there are, which tests of this package alone
// cannot name.
var TestProducts []Product
