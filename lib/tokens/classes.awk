# Prints the tables of classes.h from classes.runs. Characters are divided into blocks of 128. The
# first table has the block number of each 128 characters; the second has the different blocks.
function add_block(block,    class) {
	if (!(block in number)) {
		number[block] = count++
		for (class = 0; class < 8; class++)
			gsub(substr("OULBMNSW", class + 1, 1), class ",", block)
		blocks = blocks "{" block "},\n"
	}
}
/^[A-Z]/ {
	for (i = 1; i <= NF; i++) {
		class = $i
		gsub(/[0-9]/, "", class)
		n = substr($i, length(class) + 1) + 0
		for (text = class; length(text) < 256;)
			text = text text
		for (used = 0; used < n; used += take) {
			take = 128 - length(rest)
			if (take > n - used)
				take = n - used
			rest = rest substr(text, 1 + used % length(class), take)
			if (length(rest) == 128) {
				add_block(rest)
				indexes = indexes number[rest] ",\n"
				rest = ""
			}
		}
	}
}
END {
	print "const unsigned char ctx_class_index[CTX_CLASS_INDEX] = {" indexes "};"
	print "const unsigned char ctx_class_block[][CTX_CLASS_BLOCK] = {" blocks "};"
}
