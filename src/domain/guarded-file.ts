/** Files that decide what green means, by what they decide. */
const guards: readonly (readonly [what: string, path: RegExp])[] = [
  [
    'continuous integration',
    /^\.(github|gitea|forgejo)\/(workflows|actions)\/|^\.(circleci|buildkite|semaphore|woodpecker)\/|(^|\/)(\.gitlab-ci|\.travis|\.drone|\.woodpecker|\.cirrus|appveyor|azure-pipelines|bitbucket-pipelines|buildspec|cloudbuild)[^/]*\.ya?ml$|(^|\/)Jenkinsfile[^/]*$/i,
  ],
  ['verification', /^\.drydock\/|(^|\/)\.(gitattributes|gitmodules)$/],
  [
    'lint and format',
    /(^|\/)(\.?(eslint|prettier|stylelint|oxlint|markdownlint|commitlint)(rc|\.config|ignore)[^/]*|\.(eslint|prettier|stylelint)(rc|ignore)|biome\.jsonc?|\.?ruff\.toml|\.flake8|\.?pylintrc|\.golangci\.[^/]+|\.?clippy\.toml|\.?rustfmt\.toml|\.rubocop[^/]*\.yml|\.editorconfig|\.pre-commit-config\.yaml|\.?lefthook\.ya?ml|\.swiftlint\.yml|phpcs\.xml[^/]*|checkstyle[^/]*\.xml)$|(^|\/)\.husky\//i,
  ],
  [
    'type checking',
    /(^|\/)((ts|js)config[^/]*\.json|\.?mypy\.ini|pyrightconfig\.json|\.flowconfig|phpstan[^/]*\.neon[^/]*)$/,
  ],
  ['coverage', /(^|\/)(\.(nyc|c8|istanbul)(rc|\.)[^/]*|\.nycrc|\.coveragerc|\.?codecov\.ya?ml|\.coveralls\.yml)$/],
  [
    'locked dependencies',
    /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|deno\.lock|(poetry|uv|pdm|Pipfile|Cargo|Gemfile|composer|flake|mix)\.lock|requirements[^/]*\.(txt|in)|constraints[^/]*\.txt|go\.(mod|sum|work)|\.npmrc|\.yarnrc(\.yml)?|gradle\.lockfile)$/,
  ],
  [
    'build and scripts',
    /(^|\/)((GNU)?makefile|[^/]+\.mk|\.?justfile|Taskfile\.ya?ml|Rakefile|Earthfile|CMakeLists\.txt|build\.gradle(\.kts)?|settings\.gradle(\.kts)?|pom\.xml|build\.xml|turbo\.json|nx\.json|lerna\.json|\.cargo\/config(\.toml)?|build\.rs)$/i,
  ],
  [
    'the test runner',
    /(^|\/)((vitest|vite|jest|ava|karma|playwright|cypress|wdio|babel|jasmine|tap|web-test-runner)\.(config|workspace)\.[^/]+|\.(mocharc|taprc|babelrc|swcrc|jasmine)[^/]*|\.?pytest\.ini|tox\.ini|noxfile\.py|setup\.cfg|phpunit\.xml[^/]*|\.rspec|\.cargo\/nextest\.toml|nextest\.toml|testng\.xml)$/i,
  ],
  [
    'shared test set-up',
    /(^|\/)(conftest\.py|(spec|test|rails)_helper\.rb|setup-?tests?\.[^/]+|(jest|vitest|mocha|test|tests|global)[.-]?set-?up[^/]*\.[^/]+|__mocks__\/.+|TestHelper\.php)$|(^|\/)(tests?|__tests__|specs?)\/(.*\/)?(set-?up|bootstrap|global[-.]?(set-?up|teardown)|hooks?)\.[^/]+$/i,
  ],
]

/** What a file decides about the gate; null when it is an ordinary one. `inputs` are the files that dependencies are installed from, by the configuration. */
export function guardedBy(path: string, inputs: readonly string[]): string | null {
  const guard = guards.find(([, pattern]) => pattern.test(path))
  if (guard !== undefined) return guard[0]
  return inputs.some((input) => path === input || path.startsWith(`${input}/`)) ? 'installed dependencies' : null
}

/** A manifest of a package, of which only some parts decide about the gate. */
export function isPackageManifest(path: string): boolean {
  return /(^|\/)(package\.json|pyproject\.toml|Cargo\.toml)$/.test(path)
}

/** Files of the tree that a command names: what it runs is then decided by them. */
export function filesNamedIn(command: string): readonly string[] {
  const words = command.split(/[\s;&|()<>'"`=]+/).filter(Boolean)
  return [
    ...new Set(
      words.map((word) => word.replace(/^\.\//, '')).filter((word) => /[./]/.test(word) && !word.startsWith('-')),
    ),
  ]
}
