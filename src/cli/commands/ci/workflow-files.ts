import type { CiService } from '../../../domain/ci/ci-event.ts'

/** The values in a workflow file. Each is a plain word that needs no quotes. */
export interface WorkflowChoice {
  /** The repository and the commit from which Drydock is installed. */
  readonly from: string
  readonly commit: string
  /** The branch that changes are merged into; null to check pull requests alone. */
  readonly branch: string | null
}

export interface WorkflowFile {
  readonly path: string
  readonly text: string
}

export function workflowFile(service: CiService, choice: WorkflowChoice): WorkflowFile {
  switch (service) {
    case 'github':
      return { path: '.github/workflows/drydock.yml', text: actions(choice, github) }
    case 'forgejo':
      return { path: '.forgejo/workflows/drydock.yml', text: actions(choice, forgejo) }
    case 'gitlab':
      return { path: '.gitlab/drydock.yml', text: gitlab(choice) }
    default:
      throw new Error(`unknown service ${service satisfies never}`)
  }
}

/** actions/checkout v5.0.0, by its commit, since a tag can be moved. */
const checkout = 'actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0'

interface Flavour {
  readonly runner: string
  readonly events: string
  readonly about: string
}

const github: Flavour = {
  runner: 'ubuntu-24.04',
  events: '  pull_request:\n  merge_group:\n',
  about: '# Make the job "drydock" a required check in the rules of your branch.',
}

const forgejo: Flavour = {
  runner: 'docker',
  events: '  pull_request:\n',
  about:
    '# Its runner must let jobs create user namespaces: see docs/ci.md of Drydock. Change the label if yours is another.',
}

/** Lines that install the sandbox's programs, as root or with sudo. */
const prepare = `if [ "$(id -u)" = 0 ]; then sudo() { "$@"; }; fi
sudo apt-get update
sudo apt-get install -y --no-install-recommends bubblewrap strace
restricted=/proc/sys/kernel/apparmor_restrict_unprivileged_userns
if [ -e "$restricted" ]; then echo 0 | sudo tee "$restricted" || echo "This job may not change $restricted."; fi`

const install = (folder: string) => `git init -q "${folder}"
git -C "${folder}" fetch -q --depth 1 "$DRYDOCK_SOURCE" "$DRYDOCK_COMMIT"
git -C "${folder}" checkout -q --detach FETCH_HEAD`

const packages = (folder: string) => `npm ci --prefix "${folder}" --ignore-scripts --omit=dev --no-audit --no-fund`

function actions({ from, commit, branch }: WorkflowChoice, { runner, events, about }: Flavour): string {
  const pushes = branch === null ? '' : `  push:\n    branches: ['${branch}']\n`
  const folder = '$RUNNER_TEMP/drydock'
  return `# Written by \`drydock ci init\`. It checks each change with Drydock's gate, and the receipts of its commits.
${about}
# Never use pull_request_target here: it would give a stranger's code the secrets of this repository.
name: drydock
on:
${events}${pushes}permissions:
  contents: read
jobs:
  drydock:
    runs-on: ${runner}
    timeout-minutes: 60
    steps:
      - name: Check out
        uses: ${checkout}
        with:
          # Drydock needs the whole history of the change, and of its base.
          fetch-depth: 0
      - name: Prepare the sandbox
        run: |
${indented(prepare, 10)}
      - name: Fetch Drydock
        env:
          DRYDOCK_SOURCE: '${from}'
          DRYDOCK_COMMIT: '${commit}'
        run: |
${indented(install(folder), 10)}
      - name: Install Drydock
        run: |
${indented(packages(folder), 10)}
          echo "${folder}/bin" >> "$GITHUB_PATH"
      - name: Drydock
        env:
          # Variables of the repository: public keys (PEM), and ids of findings that you accept.
          DRYDOCK_RECEIPT_KEY: \${{ vars.DRYDOCK_RECEIPT_KEY }}
          DRYDOCK_ACCEPT: \${{ vars.DRYDOCK_ACCEPT }}
        # --require-receipts also fails for a commit without a proven receipt.
        run: drydock ci
`
}

function gitlab({ from, commit, branch }: WorkflowChoice): string {
  const pushes = branch === null ? '' : `    - if: $CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == "${branch}"\n`
  return `# Written by \`drydock ci init gitlab\`. It checks each merge request with Drydock's gate, and the receipts of its commits.
# Include it in .gitlab-ci.yml. Its runner must let jobs create user namespaces: see docs/ci.md of Drydock.
# DRYDOCK_RECEIPT_KEY and DRYDOCK_ACCEPT are CI/CD variables of the project: public keys (PEM), and ids of findings.
drydock:
  stage: test
  image: node:22-bookworm
  timeout: 1h
  cache: []
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
${pushes}  variables:
    # Drydock needs the whole history of the change, and of its base.
    GIT_DEPTH: '0'
    GIT_STRATEGY: clone
    DRYDOCK_SOURCE: '${from}'
    DRYDOCK_COMMIT: '${commit}'
  before_script:
    - |
${indented(prepare, 6)}
    - |
${indented(install('/opt/drydock'), 6)}
    - ${packages('/opt/drydock')}
  script:
    # --require-receipts also fails for a commit without a proven receipt.
    - /opt/drydock/bin/drydock ci --codequality drydock-codequality.json --junit drydock-junit.xml
  artifacts:
    when: always
    reports:
      codequality: drydock-codequality.json
      junit: drydock-junit.xml
`
}

function indented(text: string, spaces: number): string {
  return text
    .split('\n')
    .map((line) => `${' '.repeat(spaces)}${line}`)
    .join('\n')
}
