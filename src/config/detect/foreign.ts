import { objectAt, parseObject } from './json-object.ts'

interface Tree {
  readonly files: Readonly<Record<string, string>>
  readonly folders: ReadonlySet<string>
}

interface Foreign {
  readonly file: RegExp
  readonly tool: string
  readonly command: (project: Tree) => string
}

/** Build systems that are recognized by a file, and whose packages are not installed here. */
const foreign: readonly Foreign[] = [
  {
    file: /^Gemfile$/,
    tool: 'Bundler',
    command: ({ files, folders }) =>
      '.rspec' in files || folders.has('spec') ? 'bundle exec rspec' : 'bundle exec rake test',
  },
  {
    file: /^composer\.json$/,
    tool: 'Composer',
    command: ({ files }) =>
      'test' in objectAt(parseObject(files['composer.json']) ?? {}, 'scripts') ? 'composer test' : 'vendor/bin/phpunit',
  },
  { file: /^mix\.exs$/, tool: 'Mix', command: () => 'mix test' },
  { file: /^[^/]+\.(?:sln|slnx|csproj|fsproj)$/, tool: '.NET', command: () => 'dotnet test' },
  { file: /^Package\.swift$/, tool: 'Swift', command: () => 'swift test' },
  { file: /^build\.sbt$/, tool: 'sbt', command: () => 'sbt test' },
  { file: /^stack\.yaml$/, tool: 'Stack', command: () => 'stack test' },
  { file: /^pubspec\.yaml$/, tool: 'Dart', command: () => 'dart test' },
  { file: /^build\.zig$/, tool: 'Zig', command: () => 'zig build test' },
  { file: /^(?:MODULE\.bazel|WORKSPACE(?:\.bazel)?)$/, tool: 'Bazel', command: () => 'bazel test //...' },
]

export function isForeign(name: string): boolean {
  return name === '.rspec' || foreign.some(({ file }) => file.test(name))
}

/** The name of a recognized build system, and its usual test command. */
export function foreignSystem(project: Tree): { readonly reason: string; readonly command: string } | null {
  for (const { file, tool, command } of foreign) {
    const found = Object.keys(project.files).find((path) => file.test(path))
    if (found !== undefined)
      return { reason: `${found} is for ${tool}, which Drydock does not set up.`, command: command(project) }
  }
  return null
}
