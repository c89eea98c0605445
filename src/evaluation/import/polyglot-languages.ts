import type { RepositoryConfigInput } from '../../config/schema.ts'

/** The commands that build and test exercises of a language without a network. */
export interface Language {
  readonly verification: NonNullable<RepositoryConfigInput['verification']>
  /** Runs the hidden tests at these paths. */
  readonly hidden: (exercise: string, tests: readonly string[]) => string
  /** Enables tests that the exercise skips at first. */
  readonly enable?: (text: string) => string
}

const step = (command: string) => [{ name: 'test', command, timeout_sec: 300 }]

/**
 * The gate runs the tests that the editor writes, or only builds if there are none: the exercise's
 * own tests are hidden.
 */
export const languages: Readonly<Record<string, Language>> = {
  python: {
    // pytest exits with 5 if there are no tests.
    verification: { steps: step('python3 -m pytest -q -p no:cacheprovider || test $? -eq 5') },
    hidden: (_, tests) => `python3 -m pytest -q -p no:cacheprovider ${tests.join(' ')}`,
  },
  go: {
    verification: { steps: step('go vet ./... && go test ./...') },
    hidden: () => 'go test ./...',
  },
  rust: {
    // cargo writes Cargo.lock.
    verification: { steps: step('CARGO_TARGET_DIR=/tmp/target cargo test --offline'), writes: 'overlay' },
    hidden: () => 'CARGO_TARGET_DIR=/tmp/target cargo test --offline -- --include-ignored',
  },
  javascript: {
    verification: {
      prepare: [
        {
          name: 'install',
          command: 'npm install --no-audit --no-fund --package-lock=false',
          inputs: ['package.json'],
          outputs: ['node_modules'],
          network: ['registry'],
          timeout_sec: 600,
        },
      ],
      steps: step('npx jest --passWithNoTests --cacheDirectory=/tmp/jest'),
    },
    hidden: (_, tests) => `npx jest --cacheDirectory=/tmp/jest ${tests.join(' ')}`,
    enable: (text) => text.replaceAll(/\bx(test|it)\(/g, '$1('),
  },
  cpp: {
    verification: { steps: step('c++ -std=c++17 -fsyntax-only *.cpp') },
    // CMakeLists.txt names the exercise after its folder, and the build runs the tests.
    hidden: (exercise) =>
      `cp -r . /tmp/${exercise} && cmake -DEXERCISM_RUN_ALL_TESTS=1 -S /tmp/${exercise} -B /tmp/build && cmake --build /tmp/build`,
  },
}
