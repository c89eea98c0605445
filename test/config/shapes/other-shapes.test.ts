import { describe } from 'vitest'
import { json, junit, type Shape, testShapes } from './shape.ts'

const node = json({ scripts: { test: 'node --test' } })
const nodeTest = (report: string) =>
  [
    `NODE_OPTIONS="--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=\\"$ARTIFACT_DIR/${report}\\"" npm test`,
    report,
  ] as const

const several: Readonly<Record<string, Shape>> = {
  'two systems at the root, each with a report of its own': {
    files: { 'package.json': node, 'pytest.ini': '' },
    machine: { pytest: true },
    right: {
      steps: {
        'node-test': nodeTest('logs/node-junit.xml'),
        'python-test': ['python3 -m pytest --junitxml="$ARTIFACT_DIR/logs/python-junit.xml"', 'logs/python-junit.xml'],
      },
    },
  },
  'a Makefile beside another system': {
    files: { Makefile: 'test:\n\tgo test ./...\n', 'go.mod': 'module a\n' },
    right: { steps: { build: 'go build ./...', vet: 'go vet ./...', test: 'go test -json ./...' } },
  },
  'a deno.json for a tool beside another system': {
    files: { 'deno.json': json({ fmt: {}, tasks: { site: 'deno run a.ts' } }), 'go.mod': 'module a\n' },
    right: { steps: { build: 'go build ./...', vet: 'go vet ./...', test: 'go test -json ./...' } },
  },
  'one project in a folder, with an example in it': {
    files: { 'README/': '', 'apps/web/package.json': node, 'apps/web/examples/a/package.json': node },
    right: { package: 'apps/web', steps: { test: nodeTest(junit) } },
  },
  'several projects in folders': {
    files: { 'a/go.mod': 'module a\n', 'b/Cargo.toml': '', 'docs/Makefile': 'all: html\n\ttrue\n' },
    right: 'There are several projects, but none at the root: a, b.',
  },
  'several projects, of which the user stands in one': {
    files: { 'a/go.mod': 'module a\n', 'web/package.json': node },
    place: { standing: 'web/src' },
    right: { package: 'web', steps: { test: nodeTest(junit) } },
  },
  'several projects, of which the user names one': {
    files: { 'a/go.mod': 'module a\n', 'web/package.json': node },
    place: { named: 'a', standing: 'web' },
    right: {
      package: 'a',
      steps: { build: 'go build ./...', vet: 'go vet ./...', test: 'go test -json ./...' },
    },
  },
  'nothing at all': {
    files: {},
    right: 'It has no file of npm, pnpm, yarn, bun, Deno, pip, cargo, go, Maven, Gradle, CMake, Meson or make.',
  },
  'prose alone': {
    files: { 'notes.txt': 'pytest\n' },
    right: 'It has no file of npm, pnpm, yarn, bun, Deno, pip, cargo, go, Maven, Gradle, CMake, Meson or make.',
  },
}

const unknown = (file: string, tool: string, command: string) =>
  `${file} is for ${tool}, which Drydock does not set up. ${command}`

const foreign: Readonly<Record<string, Shape>> = {
  'Ruby with RSpec': {
    files: { Gemfile: "gem 'rspec'\n", '.rspec': '', Rakefile: '' },
    right: unknown('Gemfile', 'Bundler', 'bundle exec rspec'),
  },
  'Ruby with Rake': {
    files: { Gemfile: '', Rakefile: '' },
    right: unknown('Gemfile', 'Bundler', 'bundle exec rake test'),
  },
  'PHP with Composer': {
    files: { 'composer.json': json({ 'require-dev': { 'phpunit/phpunit': '^11' } }) },
    right: unknown('composer.json', 'Composer', 'vendor/bin/phpunit'),
  },
  'PHP with a script for its tests': {
    files: { 'composer.json': json({ scripts: { test: 'pest' } }) },
    right: unknown('composer.json', 'Composer', 'composer test'),
  },
  Elixir: { files: { 'mix.exs': '' }, right: unknown('mix.exs', 'Mix', 'mix test') },
  '.NET': { files: { 'a.sln': '', 'src/a.csproj': '' }, right: unknown('a.sln', '.NET', 'dotnet test') },
  Swift: { files: { 'Package.swift': '' }, right: unknown('Package.swift', 'Swift', 'swift test') },
  Scala: { files: { 'build.sbt': '' }, right: unknown('build.sbt', 'sbt', 'sbt test') },
  Haskell: { files: { 'stack.yaml': '' }, right: unknown('stack.yaml', 'Stack', 'stack test') },
  Dart: { files: { 'pubspec.yaml': '' }, right: unknown('pubspec.yaml', 'Dart', 'dart test') },
  Zig: { files: { 'build.zig': '' }, right: unknown('build.zig', 'Zig', 'zig build test') },
  Bazel: { files: { 'MODULE.bazel': '' }, right: unknown('MODULE.bazel', 'Bazel', 'bazel test //...') },
}

describe('several:', () => testShapes(several))
describe('a system that is not detected:', () => testShapes(foreign))
