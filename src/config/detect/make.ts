import type { Found, Project } from './project.ts'

/** A project whose Makefile has a target test, or check. */
export function detectMake({ files }: Project): Found | null {
  const from = ['GNUmakefile', 'makefile', 'Makefile'].find((name) => name in files)
  if (from === undefined) return null
  const target = ['test', 'check'].find((name) => new RegExp(`^${name}\\s*::?(?!=)`, 'm').test(files[from] ?? ''))
  if (target === undefined) return null
  return {
    system: 'make',
    from,
    steps: [{ name: target, command: `make ${target}` }],
    overlay: 'make builds in the tree itself',
    programs: ['make'],
  }
}
