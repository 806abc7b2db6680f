/* Die Methode schlieﬂt die Verbindung. */
class Legacy {}
