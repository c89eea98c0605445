interface Rule {
  readonly needs: readonly string[]
  readonly recipe: readonly string[]
}

/** The targets that a Makefile defines literally. */
export function readMakefile(text: string): ReadonlyMap<string, Rule> {
  const rules = new Map<string, { needs: string[]; recipe: string[] }>()
  const variables = new Map<string, string>()
  const expand = (value: string) => value.replace(/\$[({](\w+)[)}]/g, (_, name: string) => variables.get(name) ?? '')
  let open: { needs: string[]; recipe: string[] }[] = []
  for (const line of text.replace(/\\\n/g, ' ').split('\n')) {
    if (line.startsWith('\t')) {
      for (const rule of open) rule.recipe.push(line.trim())
      continue
    }
    const [, variable, value = ''] = /^\s*(?:export\s+)?(\w+)\s*(?::{0,2}|\?|\+)=\s*(.*?)\s*(?:#.*)?$/.exec(line) ?? []
    if (variable !== undefined) {
      variables.set(variable, expand(value))
      continue
    }
    const [, targets, rest = ''] = /^([^\s:#=][^:#=]*?)\s*::?(?![:=])([^#]*)/.exec(line) ?? []
    if (targets === undefined) {
      if (line.trim() !== '' && !line.startsWith('#')) open = []
      continue
    }
    const [needs = '', inline] = expand(rest).split(';')
    open = expand(targets)
      .split(/\s+/)
      .map((target) => {
        const rule = rules.get(target) ?? { needs: [], recipe: [] }
        rules.set(target, rule)
        return rule
      })
    for (const rule of open) {
      rule.needs.push(...needs.split(/[\s|]+/).filter((each) => each !== ''))
      if (inline?.trim()) rule.recipe.push(inline.trim())
    }
  }
  return rules
}

/**
 * The targets that a target makes: its prerequisites, and those for which its recipe calls make.
 */
export function madeBy(rules: ReadonlyMap<string, Rule>, target: string): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (name: string) => {
    const { needs = [], recipe = [] } = rules.get(name) ?? {}
    const called = recipe.flatMap((line) => /(?:\$[({]MAKE[)}]|\bmake)\s+([^;&|]+)/.exec(line)?.[1]?.split(/\s+/) ?? [])
    for (const next of [...needs, ...called]) {
      if (found.has(next)) continue
      found.add(next)
      visit(next)
    }
  }
  visit(target)
  return found
}
