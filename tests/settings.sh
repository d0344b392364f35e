# settings.sh - options of labs that bring other kernels than the defaults: for checked.t and
# sanitizer.sh, which run each lab with them, too; and sizes that bring other ways through a kernel.
# shellcheck shell=sh

# settings_for LAB: a line of options each; the first is empty.
settings_for() {
  echo
  case $1 in
  lab3_bilateral) printf '%s\n' '--type u8' '--sizes 66x41 --variants symmetric' ;;
  lab4_template) printf '%s\n' '--measure sad --top 2' '--measure zncc --top 2' ;;
  lab5_gaussian) echo '--type rgba32 --sizes 36x37' ;;
  esac
}
