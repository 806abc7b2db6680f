package confine

// Shell reads a project's command lines; "" where there is none.
const Shell = ""
