import type { DetectedSystem, Project } from './project.ts'
import { present } from './project.ts'

/** An autoconf project with tests; a committed `configure` is used as it is. */
export function detectAutotools(project: Project): DetectedSystem | null {
  const [from] = present(project, ['configure.ac', 'configure.in'])
  const makefiles = Object.entries(project.files).filter(([path]) => /(?:^|\/)Makefile\.(?:am|in)$/.test(path))
  const hasTests = makefiles.some(([, text]) => /^(?:TESTS\s*\+?=|check(?:-local)?\s*:)/m.test(text))
  if (from === undefined || !hasTests) return null
  const isMade = 'configure' in project.files
  return {
    system: 'autotools',
    from,
    steps: [
      { name: 'build', command: `${isMade ? '' : 'autoreconf -i && '}./configure && make -j "$(nproc)"` },
      { name: 'test', command: 'make check' },
    ],
    overlay: 'configure and make write into the tree',
    programs: ['make', ...(isMade ? [] : ['autoreconf'])],
  }
}
