/** Git's header of a file in a diff. */
export interface DiffHead {
  readonly path: string
  /** The name before a rename or copy; otherwise null. */
  readonly from: string | null
  readonly type: 'add' | 'delete' | 'modify' | 'rename' | 'copy'
  readonly isBinary: boolean
  /** True for a file's content, and false for a link's target or a submodule's commit. */
  readonly isFile: boolean
}

/** Parses one file's part of a diff; names may contain any characters. */
export function diffHead(head: string): DiffHead {
  const [first = '', ...lines] = head.split('\n')
  const after = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length)
  const renamed = after('rename from ')
  const copied = after('copy from ')
  const from = renamed ?? copied
  const to = after('rename to ') ?? after('copy to ')
  const [old, now] = [after('--- '), after('+++ ')]
  const side = now === undefined || now === '/dev/null' ? old : now
  const isNew = after('new file mode ') !== undefined
  const isGone = after('deleted file mode ') !== undefined
  const mode = after('new file mode ') ?? after('deleted file mode ') ?? after('index ')?.split(' ')[1] ?? ''
  return {
    path: to === undefined ? inside(side === undefined ? firstName(first) : withoutTab(side)) : unquoted(to),
    from: from === undefined ? null : unquoted(from),
    type: isNew
      ? 'add'
      : isGone
        ? 'delete'
        : renamed === undefined
          ? copied === undefined
            ? 'modify'
            : 'copy'
          : 'rename',
    isBinary: after('Binary files ') !== undefined || after('GIT binary patch') !== undefined,
    isFile: mode === '' || mode.startsWith('100'),
  }
}

/** Git appends a tab to a name that contains a space. */
function withoutTab(name: string): string {
  return name.endsWith('\t') ? name.slice(0, -1) : name
}

/** Without a rename both names in `diff --git a/… b/…` are equal, so each is half of the rest. */
function firstName(line: string): string {
  const rest = line.slice('diff --git '.length)
  return rest.slice(0, (rest.length - 1) / 2)
}

function inside(name: string): string {
  return unquoted(name).slice('a/'.length)
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** Git quotes names with control characters, quotes or backslashes in C syntax, byte by byte. */
function unquoted(name: string): string {
  if (!/^".*"$/s.test(name)) return name
  const bytes: number[] = []
  for (const [part, octal, letter] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0))
    else bytes.push(...new TextEncoder().encode(part))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}
