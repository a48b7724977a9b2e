"""Bytes between the rows of SQLite databases: gaps.py FILE... prints the pages where they are not
zero; gaps.py --fill TEXT FILE writes TEXT into all gaps that are long enough."""
import sys


def gaps(data):
    """(page number, begin, end) of each B-tree page; pointer maps have no rows."""
    size = int.from_bytes(data[16:18], "big")
    size = 65536 if size == 1 else size
    stretch = size // 5 + 1
    for at in range(0, len(data), size):
        number, head = at // size + 1, at + (100 if at == 0 else 0)
        is_map = number > 1 and (number - 2) % stretch == 0
        if is_map or data[head] not in (2, 5, 10, 13):
            continue
        cells = int.from_bytes(data[head + 3:head + 5], "big")
        content = int.from_bytes(data[head + 5:head + 7], "big") or 65536
        begin = head + (12 if data[head] in (2, 5) else 8) + 2 * cells
        yield number, begin, at + content


if sys.argv[1] == "--fill":
    text = sys.argv[2].encode()
    with open(sys.argv[3], "r+b") as f:
        for number, begin, end in gaps(f.read()):
            if number > 1 and end - begin > len(text):
                f.seek(begin)
                f.write(text)
else:
    for path in sys.argv[1:]:
        with open(path, "rb") as f:
            data = f.read()
        for number, begin, end in gaps(data):
            if any(data[begin:end]):
                print(path, number)
