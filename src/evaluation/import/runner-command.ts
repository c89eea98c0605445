import { shellWord } from '../../app/text/shell-word.ts'

interface TestPatch {
  readonly tests: string
  /** Paths that the patch changes. */
  readonly changed: readonly string[]
}

const runsTests =
  /^(?:timeout \d+ )?((?:python3?|uv run python3?) -m pytest|pytest|go test|cargo test|(?:npx )?(?:pnpm|npm|yarn)\b)/

/**
 * The command in a runner script that runs the tests, without its installation steps. A variable in
 * it stands for the patch's test files, or in Go for the tests that the patch adds. Null if the
 * script has none.
 */
export function hiddenCommand(runner: string, patch: TestPatch): string | null {
  const lines = runner
    .split('\n')
    .map((line) => line.trim())
    // A line with a loop variable repeats a part of an earlier command.
    .filter((line) => runsTests.test(line) && !/\binstall\b|"\$file"/.test(line))
    .map((line) =>
      line
        .replace(/^timeout \d+ /, '')
        .replace(/\s*(?:2>&1|\|\s*tee\b.*)/g, '')
        .trim(),
    )
  const [first] = lines
  if (first === undefined) return null
  // If the script chooses between commands, as in Go, the first one is the narrowest.
  if (!first.includes('$')) return pythonOf([...new Set(lines.filter((line) => !line.includes('$')))].join(' && '))
  const command = filled(first, patch)
  return command === null ? null : pythonOf(command)
}

/** Uses the Python of the environment that a detected configuration installs, if there is one. */
export function pythonOf(command: string): string {
  const named = command.replace(/^(?:uv run )?(?:python3? -m )?pytest\b/, 'python3 -m pytest')
  return named.startsWith('python3 ') ? `PATH="$PWD/.venv/bin:$PATH" ${named}` : command
}

function filled(line: string, { tests, changed }: TestPatch): string | null {
  if (line.startsWith('go test')) {
    const names = [...new Set([...tests.matchAll(/^\+func (Test\w+)/gm)].map(([, name = '']) => name))]
    return names.length === 0 ? 'go test ./...' : `go test -run ${shellWord(`^(${names.join('|')})$`)} ./...`
  }
  if (changed.length === 0) return null
  const files = changed.filter((path) => /\.(?:py|[cm]?[jt]sx?)$/.test(path)).map(shellWord)
  return files.length === 0 ? null : line.replace(/"?\$\{?\w+\}?"?/g, () => files.join(' '))
}
