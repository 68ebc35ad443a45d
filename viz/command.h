// What views ask for. Only App::apply changes anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "viz/run_request.h"
#include "viz/settings.h"

namespace tilewalk::viz {

// `run` is an index of Frame::runs. The other runs follow it by progress.
struct Seek {
  std::uint64_t position;
  std::size_t run = 0;
};
// To the first event of a tile of the score matrix, in the kernel and head where the run is.
struct SeekTile {
  std::int64_t row, col;
  std::size_t run = 0;
};
struct SeekWords {
  std::string words;  // as of find_anchor: "load K 2"
  std::size_t run = 0;
};
struct SeekEnd {
  bool end;  // or the start
};
struct Step {
  int direction;  // 1 or -1, by the chosen step size
};
struct TogglePlay {};
struct SetStepSize {
  StepSize size;
};
struct SetSpeed {
  float steps_a_second;
};
struct ChangeSpeed {
  int direction;  // to the next faster or slower
};
struct SelectRow {
  std::int64_t row;  // of queries; -1: follow the current tile
};
struct ShowTile {
  TileShown tile;
};
struct NextTile {};  // the next of TileShown
struct MoveRow {
  int direction;
};
struct SetLanguage {
  Language language;
};
struct ToggleLanguage {};
struct SetTheme {
  ThemeName theme;
};
struct NextTheme {};
struct ChangeScale {
  int direction;  // 0: back to 1
};
struct ToggleProjector {};
struct ToggleKeys {};
struct CloseOverlay {};
struct RaiseView {
  ViewId view;
};
struct NextView {
  int direction;  // through all views
};
// Replaces the runs, one to three. What cannot be opened leaves the old ones and a notice.
struct OpenRuns {
  std::vector<RunRequest> requests;
  std::string at = {};  // where to begin, in words; "": as far in as the runs before
};
// Of the what-if panel: which field the keys change, and its next or previous value.
struct MoveField {
  int direction;
};
struct SelectField {
  std::size_t field;
};
struct ChangeField {
  int direction;
};
struct KeepRuns {};  // forgets what could not be opened
struct CopyCall {};  // the command line that shows the same, to the clipboard
// A GPU beside the model: a recorded run (a name of recorded_runs(), or a file), or a kernel now.
struct OpenRecorded {
  std::string name;
  std::string at = {};  // a place of its run, in words; "": as far in as before
};
struct RunKernel {
  std::string kernel;
};
struct OpenFiles {
  std::vector<std::string> paths;  // three .npy files, a trace or a recorded run
};
// A lesson by its id, its number or its file; a step of it by its id or number, "": where it was left.
struct OpenLesson {
  std::string name, step = {};
  std::string at = {};                   // a place in the step's run; "": where the step stands
  std::optional<std::int64_t> row = {};  // to look at; none: the step's
};
struct CloseLesson {};  // back to the list of lessons
struct TurnPage {
  int direction;
};
struct AnswerPrediction {
  std::string text;  // a number, "2 1" for a tile, or the letter of a choice
};
struct RevealAnswer {};
struct AskAgain {};
struct ToggleAnswers {};   // a teacher's switch: answers are shown at once
struct SeekDivergence {};  // to the first place where a fault or a GPU leaves the model
struct FocusGoTo {};       // to type a place
struct CopyText {
  std::string text;
};
struct SaveImage {
  std::string path;  // .png or .svg; "": the next free tilewalk_001.png here
};
struct Quit {};

using Command =
    std::variant<Seek, SeekTile, SeekWords, SeekEnd, Step, TogglePlay, SetStepSize, SetSpeed, ChangeSpeed,
                 SelectRow, ShowTile, NextTile, MoveRow, SetLanguage, ToggleLanguage, SetTheme, NextTheme,
                 ChangeScale, ToggleProjector, ToggleKeys, CloseOverlay, RaiseView, NextView, OpenRuns,
                 MoveField, SelectField, ChangeField, KeepRuns, CopyCall, OpenRecorded, RunKernel, OpenFiles,
                 OpenLesson, CloseLesson, TurnPage, AnswerPrediction, RevealAnswer, AskAgain, ToggleAnswers,
                 SeekDivergence, FocusGoTo, CopyText, SaveImage, Quit>;

// In the order in which views asked.
using Commands = std::vector<Command>;

}  // namespace tilewalk::viz
