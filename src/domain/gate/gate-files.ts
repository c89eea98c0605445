/**
 * Patterns of file names, by what the files decide about. `*` is any part of a name, `{a,b}` one of
 * several. A name with a slash is a path from the root. A name that ends in a slash is a folder
 * with everything in it.
 */
export interface GateFiles {
  readonly what: string
  readonly names: string
  /**
   * Programs that read `.x`, `.xrc`, `.xignore`, `x.config.*`, `x.conf.*` and `x.yml`, each with
   * anything in between.
   */
  readonly programs?: string
  /** Names of folders, at any depth. */
  readonly folders?: string
  /** True to exclude folders that tests read from: there the files are data. */
  readonly notInFixtures?: boolean
  /** True to exclude files that declare tests: no runner loads these as set-up for their names. */
  readonly unlessTests?: boolean
}

/** The label of files that instruct agents. */
export const agentsTold = 'what agents are told'

/** The label of files that are loaded before tests. */
export const setUpOfTests = 'shared test set-up'

export const gateFiles: readonly GateFiles[] = [
  {
    what: 'continuous integration',
    names: `.gitlab-ci*.{yml,yaml} .travis*.{yml,yaml} .drone*.{yml,yaml,jsonnet,star} .woodpecker*.{yml,yaml} .cirrus*.{yml,yaml,star} {,.}appveyor*.{yml,yaml}
      {,.}azure-pipelines*.{yml,yaml} bitbucket-pipelines*.{yml,yaml} buildspec*.{yml,yaml} cloudbuild*.{yml,yaml} codemagic.yaml bitrise.yml wercker.yml .build.yml
      screwdriver.yaml Jenkinsfile* dagger.json CODEOWNERS .github/workflows/ .github/actions/ .github/scripts/ .github/dependabot.{yml,yaml} .github/codeql/
      .gitea/workflows/ .gitea/actions/ .forgejo/workflows/ .forgejo/actions/ .gitlab/ci/ .gitlab-ci/ .circleci/ .buildkite/ .semaphore/ .woodpecker/ .tekton/
      .teamcity/ .azure-pipelines/ .azuredevops/ .builds/ .dagger/ .harness/`,
  },
  {
    what: agentsTold,
    names: `AGENTS{,.*}.md CLAUDE{,.*}.md GEMINI.md .cursorrules .windsurfrules .clinerules .aider.conf.yml .mcp.json opencode.json{,c} .github/copilot-instructions.md
      .github/instructions/ .github/prompts/ .github/agents/ .github/skills/`,
    folders: '.agents .claude .cursor .codex .gemini .opencode',
  },
  { what: 'verification', names: '.gitattributes .gitmodules .lfsconfig .drydock/' },
  {
    what: 'lint and format',
    programs: `eslint prettier stylelint oxlint markdownlint markdownlint-cli2 commitlint textlint htmlhint tslint jshint jscs xo-config lintstaged lint-staged secretlint
      remark dprint knip size-limit dependency-cruiser cspell ls-lint biome rome ruff flake8 pylint yamllint ansible-lint bandit semgrep sqlfluff golangci staticcheck revive
      clippy rustfmt rubocop standard reek erb-lint haml-lint slim-lint swiftlint swiftformat ktlint detekt scalafmt scalafix credo luacheck selene stylua shellcheck hadolint
      tflint buf phpcs phpmd pint grumphp lefthook overcommit gitleaks trivy cppcheck`,
    names: `.editorconfig .ignore .pep8 .pycodestyle .pydocstyle* .isort.cfg .style.yapf pylintrc deny.toml brakeman.ignore .pre-commit-config.yaml phpcs*.xml* .php{-,_}cs*
      phpmd*.xml ecs.php rector.php checkstyle*.xml pmd*.xml spotbugs*.xml findbugs*.xml .clang-format .clang-tidy .formatter.exs .credo.exs analysis_options.yaml
      .globalconfig stylecop.json sonar-project.properties .codeclimate.yml .snyk audit-ci.json* .nsprc osv-scanner.toml .rubocop_todo.yml .xo-config*`,
    folders: '.husky .githooks',
  },
  {
    what: 'type checking',
    programs: 'mypy pytype pyrefly flow dialyzer',
    names:
      '{ts,js}config*.json {,based}pyrightconfig.json .pyre_configuration* .flowconfig ty.toml phpstan*.{neon,php}* psalm*.xml* .dialyzer_ignore.exs sorbet/config',
  },
  {
    what: 'coverage',
    programs: 'nyc c8 istanbul coverage codecov coveralls simplecov luacov slather tarpaulin octocov undercover jacoco',
    names: '',
  },
  {
    what: 'locked dependencies',
    names: `package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml bun.lockb *.lock pylock*.toml requirements*.{txt,in} constraints*.{txt,in} Pipfile Gemfile
      *.gemspec go.{mod,sum,work} go.work.sum .npmrc .yarnrc .yarnrc.yml {,.}pnpmfile.{,c}js package.{yml,yaml,json5} {,buildscript-}gradle.lockfile libs.versions.toml
      verification-metadata.xml packages.lock.json packages.config paket.dependencies nuget.config Package.{swift,resolved} Podfile Cartfile{,.resolved} conanfile.{txt,py}
      vcpkg.json vcpkg-configuration.json stack.yaml{,.lock} uv.toml poetry.toml cabal.project* pubspec.yaml rust-toolchain{,.toml}
      .{node,python,ruby,java,go,php,terraform,swift,crystal}-version .nvmrc {,.}mise.toml .tool-versions .sdkmanrc /global.json environment.{yml,yaml} pip.conf /requirements/`,
    folders: '.bundle',
    notInFixtures: true,
  },
  {
    what: 'installed dependencies',
    names: '.pnp.cjs .pnp.loader.mjs /vendor/ /patches/',
    folders: 'node_modules .yarn site-packages bower_components .venv venv',
  },
  {
    what: 'kept results of checks',
    names: '.eslintcache .stylelintcache .prettiercache *.tsbuildinfo',
    folders: '.turbo .nx .wireit .gradle .pytest_cache .mypy_cache .ruff_cache',
  },
  {
    what: 'build and scripts',
    names: `{,GNU}makefile{,.am,.in,.inc,.common,.local,.include} *.mk {,.}justfile *.just Taskfile*.{yml,yaml} Rakefile *.rake Earthfile CMakeLists.txt CMake{,User}Presets.json CTest*.cmake meson.build
      meson_options.txt SConstruct SConscript configure.ac BUILD.bazel WORKSPACE{,.bazel} MODULE.bazel .bazel{rc,version,iskrc} .buckconfig *.gradle{,.kts} gradle.properties
      gradle-wrapper.properties gradlew{,.bat} mvnw{,.cmd} pom.xml build.xml build.sbt build.{sc,mill} turbo.json{,c} nx.json project.json /workspace.json angular.json lerna.json
      rush.json moon.{yml,yaml} deno.json{,c} bunfig.toml gulpfile.* Gruntfile.* Jakefile* build.rs setup.py hatch.toml pixi.toml /tasks.py fabfile.py dodo.py magefile.go
      mix.exs rebar.config *.cabal dune{,-project} project.clj deps.edn bb.edn *.{cs,fs,vb}proj Directory.{Build,Packages}.{props,targets} *.sln project.pbxproj *.xcscheme
      Fastfile {flake,shell,default}.nix .envrc project/build.properties *.sbt`,
    folders: '.cargo .mvn buildSrc',
    notInFixtures: true,
  },
  {
    what: 'the test runner',
    programs: `vitest vite jest ava karma playwright cypress wdio nightwatch protractor testcafe codecept babel swc jasmine tap mocha qunit testem web-test-runner stryker
      cucumber puppeteer detox webpack rollup esbuild nextest busted`,
    names: `{vitest,jest}*.{workspace,projects,preset}.* jest-preset.* cypress.env.json jasmine.{js,mjs} node.config.json .proverc testem.js mocha.opts {,.}pytest.{ini,toml} tox.{ini,toml} noxfile.py
      setup.cfg nose.cfg .noserc unittest.cfg {,.}stestr.conf .testr.conf phpunit*.xml* codeception.yml* behat.yml* infection.json* paratest.xml .rspec{,-local} Guardfile
      .cargo-mutants.toml testng*.xml junit-platform.properties surefire*.xml *.runsettings xunit.runner.json *.xctestplan dart_test.yaml tests.edn .env.{test,testing,ci}* *.egg-info/ *.dist-info/
      {site,user}customize.py /{pytest,_pytest,unittest,doctest,coverage,mypy,ruff,tox,nox}.py /{pytest,_pytest,unittest,doctest,coverage,mypy,ruff,tox,nox}/ .config/nextest.toml`,
  },
  {
    what: setUpOfTests,
    names: `conftest.py {spec,test,rails,system,feature,minitest}_helper.{rb,exs} testhelper.php Pest.php setupTests.{j,t}s{,x} TestCase.php CreatesApplication.php`,
    folders: '__mocks__',
  },
  {
    what: setUpOfTests,
    names: `setup{,-,.,_}{test,tests,jest,vitest,mocha,karma,ava}.{,c,m}{j,t}s{,x}
      {jest,vitest,mocha,karma,ava,test,tests,global,playwright,cypress,e2e,integration}{,-,.,_}{setup,set-up,teardown,bootstrap}{,-files,-file,.env,-after-env,-env,.node,.dom}.{,c,m}{j,t}s{,x}
      {jest,vitest,mocha,karma,ava,playwright,cypress}{-,.,_}{env,environment,globals}.{,c,m}{j,t}s{,x} setup{F,-f}iles{,AfterEnv,-after-env}.{,c,m}{j,t}s{,x} global_setup.{py,rb,php}`,
    unlessTests: true,
  },
]
