import { type ReadRefusal, refused } from './refused.ts'

const mostPatternChars = 1_000
const mostAlternatives = 200

/**
 * Translates a glob to git's pathspecs; none for a glob that matches everything. The rules are
 * those of a workspace: a glob without a slash matches a name at any depth, one that names a folder
 * matches everything below it, and names with a leading dot are ordinary names.
 */
export function globPathspecs(
  glob: string,
): { readonly ok: true; readonly pathspecs: readonly string[] } | ReadRefusal {
  if (glob.length > mostPatternChars || glob.includes('\0'))
    return refused('bad_pattern', `A pattern has at most ${mostPatternChars} characters, and no zero among them`)
  const plain = trimmed(glob)
  if (plain === '' || plain === '.') return { ok: true, pathspecs: [] }
  const each = alternatives(plain)
  if (each === null) return refused('bad_pattern', `A pattern has at most ${mostAlternatives} alternatives`)
  if (each.some((one) => one.split('/').includes('..')))
    return refused('outside', 'The pattern leads out of the repository')
  const isName = !glob.replace(/\/+$/, '').includes('/')
  const globs = each.map(trimmed).filter((one) => one !== '' && one !== '.')
  const specs = globs.flatMap((one) => [`:(top,glob)${one}`, ...(isName ? [`:(top,glob)**/${one}`] : [])])
  return { ok: true, pathspecs: [`:(top,literal)${plain}`, ...specs] }
}

function trimmed(glob: string): string {
  return glob.replace(/^(?:\.?\/+)+/, '').replace(/\/+$/, '')
}

/**
 * Expands the braces of a glob, which git's own globs do not have; null if the result is too long.
 */
function alternatives(glob: string): readonly string[] | null {
  let open = [glob]
  const done: string[] = []
  while (open.length > 0) {
    if (open.length + done.length > mostAlternatives) return null
    open = open.flatMap((one) => {
      const [, before = '', inside, after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(one) ?? []
      if (inside === undefined) done.push(one)
      return inside?.split(',').map((each) => `${before}${each}${after}`) ?? []
    })
  }
  return done
}
