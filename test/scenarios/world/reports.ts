/** A complete report of each scout, with every field. */
export const codebaseReport = {
  repo_map: {
    relevant_files: [{ path: 'value.txt', purpose: 'holds the value', relevance: 'primary' }],
    entry_points: ['value.txt'],
    dependency_graph: { 'value.txt': [] },
  },
  risk_zones: [
    {
      file: 'value.txt',
      start_line: 1,
      end_line: 1,
      risk_level: 'low',
      complexity: 'one line',
      dependencies: [],
      invariants: ['one line'],
      rationale: 'the test reads it',
    },
  ],
  change_boundaries: {
    safe_slices: [{ id: 's1', files: ['value.txt'], description: 'say new', complexity: 'low', order: 1 }],
    ordering_constraints: [],
  },
  conventions: { naming: 'lower case', patterns: ['a final newline'], anti_patterns: [] },
  prior_art: [{ file: 'value.txt', description: 'the old value', relevance: 'same file' }],
  verification_tips: ['grep -q new value.txt'],
  hypotheses: ['it was never changed'],
}

export const buildReport = {
  build: {
    detected_system: 'none',
    commands: { install: null, build: null, clean: null },
    prerequisites: ['grep'],
    notes: '',
  },
  test: {
    detected_framework: 'shell',
    commands: { all: 'grep -q new value.txt', unit: null, integration: null },
    coverage_command: null,
    notes: '',
  },
  failure_analysis: {
    root_cause: 'the value is old',
    affected_files: ['value.txt'],
    suggested_investigation: [],
    is_flaky: false,
    flaky_reason: null,
  },
  environment_issues: [{ issue: 'no cache', severity: 'warning', suggested_fix: 'none needed' }],
}
